import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import type { TerminalFacet } from '../../../../../docs/client/estate/estate.ts';
import { askEstate, useAnswer } from '../../estate/estatePage.ts';
import { terminalsText } from '../../fields/wording.ts';
import { FacetBar, FacetSheet, type Facet as ShownFacet } from '../../resources/Facets.tsx';
import { type Acting, useActing } from '../../session/session.ts';
import { useKeys } from '../../shared/hotkeys.ts';
import { useNow } from '../../shared/Time.tsx';
import { FACETS, facets, SORTS, sortLabel, type useCriteria, valueLabel } from './criteria.ts';

/** What the filters have in common: the criteria of the address. */
export interface Filtering extends ReturnType<typeof useCriteria> {
  /** The names of the branches that are chosen. */
  branchName: (mid: string) => string;
}

/** The facets, each with the estate's counts of its values. */
const shownFacets = ({ criteria, filter, branchName }: Filtering, acting: Acting): ShownFacet[] =>
  facets.map((facet) => ({
    label: FACETS[facet].label,
    chosen: criteria.filters[facet] ?? [],
    labelOf: (value, name = branchName(value)) => valueLabel(facet, value, name),
    onChange: (chosen) => filter(facet, chosen),
    useValues: (asked) => useAnswer('terminalValues', { ...asked, criteria, facet, now: useNow() }).data,
    valuesOf: (asked) => askEstate(acting, 'terminalValues', { ...asked, criteria, facet, now: Date.now() }),
  }));

/** Groups the estate by a facet. */
export const GroupSelect = ({ of: { group, groupBy }, label }: { of: Filtering; label?: string }) => (
  <NativeSelect
    label={label}
    aria-label="Group"
    value={group ?? ''}
    data={[
      { value: '', label: 'Not grouped' },
      ...facets.map((facet) => ({ value: facet, label: `By ${FACETS[facet].label.toLowerCase()}` })),
    ]}
    onChange={(event) => groupBy((event.currentTarget.value || null) as TerminalFacet | null)}
  />
);

export const FilterBar = memo(({ of }: { of: Filtering }) => <FacetBar facets={shownFacets(of, useActing())} />);

/** Whether the field that React removes in this commit has the focus. */
let hadFocus = false;

/** Focuses a field that replaces a focused one, so that the person can continue to type. */
function useKeptFocus(field: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    if (hadFocus) field.current?.focus();
    return () => {
      hadFocus = document.activeElement === field.current;
      queueMicrotask(() => {
        hadFocus = false;
      });
    };
  }, [field]);
}

/** Filters by a text that is typed. The key `f` leads to it. */
export function TextFilter({
  onChange,
  onEnter,
  ...field
}: {
  placeholder: string;
  value: string;
  error?: ReactNode;
  onChange: (text: string) => void;
  onEnter: (input: HTMLInputElement) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ f: () => input.current?.focus() });
  useKeptFocus(input);
  return (
    <TextInput
      {...field}
      ref={input}
      type="search"
      className="grows"
      maw={440}
      aria-label="Filter terminals"
      leftSection={<Search size={16} />}
      rightSection={field.value && <CloseButton size="sm" aria-label="Clear the text" onClick={() => onChange('')} />}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && onEnter(currentTarget)}
    />
  );
}

/** All filters, order and groups on a phone. */
export function FilterSheet({ of, total }: { of: Filtering; total: number }) {
  const sorts = new Map([...SORTS, of.criteria.sort].map((sort) => [sortLabel(sort), sort]));
  return (
    <FacetSheet facets={shownFacets(of, useActing())} shown={terminalsText(total)} onClear={of.clear}>
      <NativeSelect
        label="Order"
        value={sortLabel(of.criteria.sort)}
        data={[...sorts.keys()]}
        onChange={(event) => of.sort(sorts.get(event.currentTarget.value) ?? of.criteria.sort)}
      />
      <GroupSelect of={of} label="Group" />
    </FacetSheet>
  );
}
