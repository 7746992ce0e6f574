import { useDidUpdate } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import type { Column, Criteria, TerminalFacet } from '../../../../../docs/client/estate/estate.ts';
import { labelOf, STATUSES } from '../../fields/wording.ts';
import { useAddress, useDebouncedText } from '../../shared/address.ts';
import { columnLabel, isColumn } from './columns.tsx';

/** What can be filtered, in the order in which it is offered, and its name in the address. */
export const FACETS: Record<TerminalFacet, { label: string; none?: string; name: string }> = {
  status: { label: labelOf('status'), name: 'status' },
  city: { label: labelOf('city'), none: 'No city', name: 'city' },
  branch: { label: 'Branch', name: 'branch' },
  terminal_model: { label: labelOf('terminal_model'), none: 'No model', name: 'model' },
  payment_app: { label: labelOf('payment_app'), none: 'No payment app', name: 'app' },
  acquirer_name: { label: labelOf('acquirer_name'), none: 'No master acquirer', name: 'acquirer' },
  seen: { label: labelOf('last_seen_at'), name: 'seen' },
};
export const facets = Object.keys(FACETS) as TerminalFacet[];

const SEEN: Record<string, string> = { week: 'Not seen for 7 days', never: 'Never seen' };

/** What a value of a facet is called. @param branchName Of a branch, whose value is its MID. */
export function valueLabel(facet: TerminalFacet, value: string, branchName = value): string {
  if (facet === 'seen') return SEEN[value] ?? value;
  if (facet === 'status') return STATUSES[value as keyof typeof STATUSES] ?? value;
  if (value === '') return FACETS[facet].none ?? 'None';
  return facet === 'branch' ? branchName : value;
}

const SORT: Criteria['sort'] = { by: 'updated_at', isDescending: true };

function sortOf(sort: string | null): Criteria['sort'] {
  const by = sort?.replace(/^-/, '') ?? '';
  return isColumn(by) ? { by, isDescending: sort?.startsWith('-') ?? false } : SORT;
}

/** The values of the address that show the estate with some filters, all others cleared. */
export const estatePath = (filters: Criteria['filters'], more: Record<string, string> = {}): string => {
  const values = new URLSearchParams(more);
  for (const facet of facets) for (const value of filters[facet] ?? []) values.append(FACETS[facet].name, value);
  return `/terminals?${values}`;
};

/** Which terminals the address asks for, how they are sorted, and by what they are grouped. */
export function useCriteria() {
  const [values, change] = useAddress();
  const criteria = useMemo((): Criteria => {
    const chosen = facets.map((facet) => [facet, values.getAll(FACETS[facet].name)] as const);
    return {
      text: values.get('q') ?? '',
      filters: Object.fromEntries(chosen.filter(([, all]) => all.length > 0)),
      sort: sortOf(values.get('sort')),
    };
  }, [values]);
  const group = facets.find((facet) => FACETS[facet].name === values.get('group'));
  const act = useMemo(
    () => ({
      filter: (facet: TerminalFacet, chosen: readonly string[]) => change({ [FACETS[facet].name]: chosen }),
      search: (q: string) => change({ q }, { replace: true }),
      sort: ({ by, isDescending }: Criteria['sort']) => change({ sort: `${isDescending ? '-' : ''}${by}` }),
      groupBy: (facet: TerminalFacet | null) => change({ group: facet && FACETS[facet].name }),
      clear: () => change({ q: null, ...Object.fromEntries(facets.map((facet) => [FACETS[facet].name, null])) }),
    }),
    [change],
  );
  return useMemo(() => {
    const isFiltered = criteria.text !== '' || Object.keys(criteria.filters).length > 0;
    return { criteria, group, isFiltered, ...act };
  }, [criteria, group, act]);
}

/** A text that filters as it is typed. The address has it once the person pauses. */
export function useText(q: string, search: (q: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(q);
  const later = useDebouncedText(search);
  // The address wins, as when the person goes back. What is typed stays if the address only lacks its spaces.
  useDidUpdate(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  const type = useCallback(
    (typed: string) => {
      setText(typed);
      later.type(typed.trim());
    },
    [later],
  );
  return [text, type];
}

/** What a sort is called where there are no column headers. */
export const sortLabel = ({ by, isDescending }: Criteria['sort']): string => {
  const isTime = by === 'last_seen_at' || by === 'updated_at';
  const order = isTime ? ['oldest first', 'newest first'] : ['A to Z', 'Z to A'];
  return `${columnLabel(by)}, ${order[Number(isDescending)]}`;
};

export const SORTS: Criteria['sort'][] = (
  ['updated_at', 'last_seen_at', 'terminal_id', 'branch', 'city'] as Column[]
).map((by) => ({ by, isDescending: by === 'updated_at' }));

/** Which terminals criteria ask for and in which order, as sentences. */
export function criteriaText({ text, filters, sort }: Criteria, branchName: (mid: string) => string): string {
  const chosen = facets.flatMap((facet) => {
    const values = filters[facet] ?? [];
    const labels = values.map((value) => valueLabel(facet, value, branchName(value)));
    return labels.length > 0 ? `${FACETS[facet].label}: ${labels.join(' or ')}.` : [];
  });
  const sought = text.trim() === '' ? [] : [`With “${text.trim()}”.`];
  return [...sought, ...chosen, `Order: ${sortLabel(sort)}.`].join(' ');
}
