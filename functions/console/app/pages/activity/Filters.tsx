import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keyName, useAuthorOf } from '../../resources/authors.ts';
import { type BranchNames, type Event, nameOf, type Subject, useApiKeys, usePeople } from '../../resources/data.ts';
import { KINDS } from '../../resources/events.ts';
import { authorIdOf, terminalsIn } from '../../resources/runs.ts';
import { SearchPicker } from '../../search/SearchPicker.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { ownValue, useAddress } from '../../shared/address.ts';
import { choicesOf } from '../../shared/choicesOf.ts';
import { spanOf } from './span.ts';

/** The names of the filters in the address. A value of `on` and `who` is the service's parameter, a dot and an id. */
export const FILTERS = ['on', 'type', 'who', 'day', 'to'] as const;

/** The filters of an address, as the service takes them. */
export function filtersOf(values: URLSearchParams): Subject {
  const on = /^(mid|tid)\.(.+)/.exec(values.get('on') ?? '');
  const who = /^(person|key|partner)\.(.+)/.exec(values.get('who') ?? '');
  const type = values.get('type');
  return {
    ...(on && { [on[1] as string]: on[2] }),
    ...(ownValue(KINDS, type) && { type: type as keyof typeof KINDS }),
    ...(who && { [who[1] as string]: who[2] }),
    ...spanOf(values.get('day'), values.get('to')),
  };
}

interface Loaded {
  events: Event[];
  branches: BranchNames;
}

function SubjectFilter({ events, branches }: Loaded) {
  const [values, change] = useAddress();
  const { mid, tid } = filtersOf(values);
  const terminal = tid && events.flatMap(terminalsIn).find((each) => each.tid === tid);
  const name = terminal ? `Terminal ${terminal.terminal_id}` : (tid ?? branches.get(mid ?? '')?.merchant_name ?? mid);
  return (
    <SearchPicker
      className="grows"
      aria-label="Branch or terminal"
      placeholder="Any branch or terminal: type to find one"
      chosen={name ?? ''}
      choicesOf={(found) => [
        ...found.terminals.map(({ terminal_id, branch, ...each }) => {
          const on = `tid.${each.tid}`;
          return { value: on, thing: on, name: `Terminal ${terminal_id}`, place: nameOf(branch) };
        }),
        ...found.branches.map((branch) => {
          const on = `mid.${branch.mid}`;
          return {
            value: on,
            thing: on,
            name: nameOf(branch),
            place: [branch.city, branch.mid].filter(Boolean).join(' · '),
          };
        }),
      ]}
      onChoose={(on) => change({ on: on ?? null })}
    />
  );
}

/** A day and, once there is one, the last of several. */
function DayFilters() {
  const [values, change] = useAddress();
  const day = values.get('day');
  return (
    <>
      <TextInput
        type="date"
        className="filter"
        aria-label="Day"
        value={day ?? ''}
        onChange={(event) => change({ day: event.currentTarget.value, to: null })}
      />
      {day && (
        <TextInput
          type="date"
          className="filter"
          aria-label="To"
          leftSection="to"
          min={day}
          value={values.get('to') ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
      )}
    </>
  );
}

export function Filters({ children, ...loaded }: Loaded & { children: ReactNode }) {
  const own = useActing().acquirer.id;
  const authorOf = useAuthorOf();
  const reads = useQueryClient().getQueriesData<{ pages?: Loaded[] }>({ queryKey: [own, 'activity'] });
  const events = reads.flatMap(([, read]) => read?.pages ?? []).flatMap((page) => page.events);
  return (
    <Group gap="sm" role="group" aria-label="Filters">
      <SubjectFilter {...loaded} />
      <CommonFilters kinds={KINDS} authors={events.map((event) => [authorIdOf(event), authorOf(event)])} />
      {children}
    </Group>
  );
}

/**
 * The filters of both kinds of changes: days, kind and who.
 *
 * @param authors Names by values of `who`: those of the changes that were read. Admins also have all people and keys.
 */
export function CommonFilters({ kinds, authors }: { kinds: Record<string, string>; authors: [string, string][] }) {
  const [values, change] = useAddress();
  const isAdmin = useMay('administer');
  const { data: keys = [] } = useApiKeys(isAdmin);
  const { data: { people } = { people: [] } } = usePeople(isAdmin);
  const who = values.get('who') ?? '';
  const names = new Map([
    ...authors,
    ...people.map(({ id, name }): [string, string] => [`person.${id}`, name]),
    ...keys.map((key): [string, string] => [`key.${key.key_id}`, keyName(key)]),
  ]);
  if (who && !names.has(who)) names.set(who, 'Somebody else');
  const selects = {
    type: { name: 'Kind', all: 'All kinds', choices: Object.entries(kinds) },
    who: { name: 'Who', all: 'Anybody', choices: choicesOf(names) },
  };
  return (
    <>
      <DayFilters />
      {Object.entries(selects).map(([param, { name, all, choices }]) => (
        <NativeSelect
          key={param}
          className="filter"
          aria-label={name}
          value={values.get(param) ?? ''}
          data={[{ value: '', label: all }, ...choices.map(([value = '', label = '']) => ({ value, label }))]}
          onChange={(event) => change({ [param]: event.currentTarget.value })}
        />
      ))}
    </>
  );
}
