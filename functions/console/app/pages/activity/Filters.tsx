import { Group, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SEARCH_FAILED, useSearch } from '../../search/useSearch.ts';
import { useActing, useMay } from '../../session/session.ts';
import { ownValue, useAddress } from '../../shared/address.ts';
import { type BranchNames, type Event, nameOf, type Subject, useApiKeys, usePeople } from '../../shared/data.ts';
import { EVENTS } from '../../shared/events.ts';
import { authorIdOf } from '../../shared/runs.ts';
import { isSearchable, UNSEARCHABLE } from '../../shared/searchedText.ts';
import { authorOf, keyName, terminalsIn } from '../../shared/Timeline.tsx';
import { spanOf } from './days.ts';

/** The names of the filters in the address. A value of `on` and `who` is the service's parameter, a dot and an id. */
export const FILTERS = ['on', 'type', 'who', 'day'] as const;

/** The filters of an address, as the service takes them. */
export function filtersOf(values: URLSearchParams): Subject {
  const on = /^(mid|tid)\.(.+)/.exec(values.get('on') ?? '');
  const who = /^(person|key|partner)\.(.+)/.exec(values.get('who') ?? '');
  const type = values.get('type');
  return {
    ...(on && { [on[1] as string]: on[2] }),
    ...(ownValue(EVENTS, type) && { type: type as Event['type'] }),
    ...(who && { [who[1] as string]: who[2] }),
    ...spanOf(values.get('day')),
  };
}

interface Loaded {
  events: Event[];
  branches: BranchNames;
}

/** Chooses a branch or a terminal while a person types. */
function SubjectFilter({ events, branches }: Loaded) {
  const [values, change] = useAddress();
  const [typed, setTyped] = useState('');
  const { data, error, isOutdated } = useSearch(typed);
  const isTyped = typed.trim() !== '';
  const found = isTyped && data ? data : { branches: [], terminals: [] };
  const options = new Map<string, readonly (string | null)[]>([
    ...[...found.branches, ...found.terminals.map(({ branch }) => branch)].map(
      (each) => [`mid.${each.mid}`, [nameOf(each), each.city, each.mid]] as const,
    ),
    ...found.terminals.map(
      ({ tid, terminal_id, branch }) => [`tid.${tid}`, [`Terminal ${terminal_id}`, nameOf(branch)]] as const,
    ),
  ]);
  const { mid, tid } = filtersOf(values);
  const terminal = tid && events.flatMap(terminalsIn).find((each) => each.tid === tid);
  const name = terminal ? `Terminal ${terminal.terminal_id}` : (tid ?? branches.get(mid ?? '')?.merchant_name ?? mid);
  const value = name ? values.get('on') : null;
  const choices = [...options].map(([id, [label]]) => ({ value: id, label: label as string }));
  if (value && name && !options.has(value)) choices.unshift({ value, label: name });
  const nothing = isSearchable(typed) ? `Nothing found for “${typed.trim()}”.` : UNSEARCHABLE;
  const waiting = error ? SEARCH_FAILED : isOutdated ? 'Searching…' : nothing;
  return (
    <Select
      className="grows"
      aria-label="Branch or terminal"
      placeholder="Any branch or terminal: type to find one"
      searchable
      clearable
      allowDeselect={false}
      // All that a search finds, without scrolling.
      maxDropdownHeight={420}
      clearButtonProps={{ 'aria-label': 'Any branch or terminal' }}
      value={value}
      data={choices}
      // The service has searched.
      filter={({ options: all }) =>
        isTyped ? all.filter((option) => 'value' in option && options.has(option.value)) : all
      }
      nothingFoundMessage={
        isTyped ? waiting : 'Type words of a branch, a MID, or the ID or serial number of a terminal.'
      }
      renderOption={({ option }) => (
        <Text component="div" className="wraps" lineClamp={2} inherit>
          <bdi>{option.label}</bdi>{' '}
          <Text span c="dimmed" inherit>
            <bdi>{options.get(option.value)?.slice(1).filter(Boolean).join(' · ')}</bdi>
          </Text>
        </Text>
      )}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onDropdownClose={() => setTyped('')}
      onChange={(on) => change({ on })}
    />
  );
}

/** Those who made changes that were read, and for admins all people and keys: their names by values of `who`. */
function useAuthors(): Map<string, string> {
  const own = useActing().acquirer.id;
  const isAdmin = useMay('administer');
  const { data: keys = [] } = useApiKeys(isAdmin);
  const { data: { people } = { people: [] } } = usePeople(isAdmin);
  const reads = useQueryClient().getQueriesData<{ events?: Event[] }>({ queryKey: [own, 'activity'] });
  const events = reads.flatMap(([, read]) => read?.events ?? []);
  return new Map([
    ...events.map((event) => [authorIdOf(event), authorOf(event, own)] as const),
    ...people.map(({ id, name }) => [`person.${id}`, name] as const),
    ...keys.map(({ key_id, label }) => [`key.${key_id}`, keyName(label)] as const),
  ]);
}

/** The filters of the activity, which are in the address. */
export function Filters(loaded: Loaded) {
  const [values, change] = useAddress();
  const authors = useAuthors();
  const who = values.get('who') ?? '';
  if (who && !authors.has(who)) authors.set(who, 'Somebody else');
  const names = [...authors.values()];
  // Those of the same name also have their id.
  const labelOf = (name: string, id: string) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id.replace(/^\w+\./, '').slice(0, 12)})`;
  const selects = {
    type: { name: 'Kind', all: 'All kinds', choices: Object.entries(EVENTS).map(([id, { kind }]) => [id, kind]) },
    who: {
      name: 'Who',
      all: 'Anybody',
      choices: [...authors]
        .map(([id, name]) => [id, labelOf(name, id)])
        .sort(([, one = ''], [, other = '']) => one.localeCompare(other)),
    },
  };
  return (
    <Group gap="sm" role="group" aria-label="Filters">
      <SubjectFilter {...loaded} />
      <TextInput
        type="date"
        className="filter"
        aria-label="Day"
        value={values.get('day') ?? ''}
        onChange={(event) => change({ day: event.currentTarget.value })}
      />
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
    </Group>
  );
}
