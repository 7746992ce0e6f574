import { Group, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SEARCH_FAILED, useSearch } from '../../search/useSearch.ts';
import { useActing } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import type { BranchNames, Event } from '../../shared/data.ts';
import { EVENTS } from '../../shared/events.ts';
import { isSearchable, UNSEARCHABLE } from '../../shared/searchedText.ts';
import { authorOf } from '../../shared/Timeline.tsx';

/** The id of who made a change, as far as the caller may know it. */
export const authorIdOf = ({ by }: Event): string => by.person?.id ?? by.key_id ?? by.acquirer;

/** The kind of changes that the address asks for; empty for all. */
export function kindOf(values: URLSearchParams): string {
  const kind = values.get('kind') ?? '';
  return Object.hasOwn(EVENTS, kind) ? kind : '';
}

/** Those who made changes, by name. Those of the same name also have their id. */
function authorsOf(events: Event[], own: string): { value: string; label: string }[] {
  const names = new Map(events.map((event) => [authorIdOf(event), authorOf(event, own)]));
  const all = [...names.values()];
  return [...names]
    .map(([value, name]) => {
      const isShared = all.indexOf(name) !== all.lastIndexOf(name);
      return { value, label: isShared ? `${name} (${value.slice(0, 12)})` : name };
    })
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** Chooses a branch while a person types. */
function BranchFilter({ mid, branches }: { mid: string | null; branches: BranchNames }) {
  const [, change] = useAddress();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const { data, error, isOutdated } = useSearch(typed);
  const isTyped = typed.trim() !== '';
  const found = isTyped && data ? [...data.branches, ...data.terminals.map(({ branch }) => branch)] : [];
  const choices = new Map(found.map((branch) => [branch.mid, branch]));
  const options = [...choices.values()].map(({ mid: value, merchant_name }) => ({
    value,
    label: merchant_name ?? value,
  }));
  const nameOf = (value: string) => (chosen?.value === value ? chosen.label : value);
  if (mid !== null && !choices.has(mid))
    options.unshift({ value: mid, label: branches.get(mid)?.merchant_name ?? nameOf(mid) });
  const nothing = isSearchable(typed) ? `No branch found for “${typed.trim()}”.` : UNSEARCHABLE;
  const waiting = error ? SEARCH_FAILED : isOutdated ? 'Searching…' : nothing;
  return (
    <Select
      className="grows"
      aria-label="Branch"
      placeholder="Any branch: type to find one"
      searchable
      clearable
      allowDeselect={false}
      // All that a search finds, without scrolling.
      maxDropdownHeight={420}
      clearButtonProps={{ 'aria-label': 'Any branch' }}
      value={mid}
      data={options}
      // The service has searched.
      filter={({ options: all }) =>
        isTyped ? all.filter((option) => 'value' in option && choices.has(option.value)) : all
      }
      nothingFoundMessage={isTyped ? waiting : 'Type words of its name, its MID, or the ID of one of its terminals.'}
      renderOption={({ option }) => (
        <Text component="div" className="wraps" lineClamp={2} inherit>
          <bdi>{option.label}</bdi>{' '}
          <Text span c="dimmed" inherit>
            <bdi>{[choices.get(option.value)?.city, option.value].filter(Boolean).join(' · ')}</bdi>
          </Text>
        </Text>
      )}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onDropdownClose={() => setTyped('')}
      onChange={(value, option) => {
        setChosen(option);
        change({ mid: value });
      }}
    />
  );
}

/** The filters of the activity, which are in the address. */
export function Filters({ events, branches }: { events: Event[]; branches: BranchNames }) {
  const own = useActing().acquirer.id;
  const [values, change] = useAddress();
  const who = values.get('who') ?? '';
  const authors = authorsOf(events, own);
  const isKnown = who === '' || authors.some(({ value }) => value === who);
  return (
    <Group gap="sm" role="group" aria-label="Filters">
      <BranchFilter mid={values.get('mid')} branches={branches} />
      <TextInput
        type="date"
        className="filter"
        aria-label="Day"
        value={values.get('day') ?? ''}
        onChange={(event) => change({ day: event.currentTarget.value })}
      />
      <NativeSelect
        className="filter"
        aria-label="Kind"
        value={kindOf(values)}
        data={[
          { value: '', label: 'All kinds' },
          ...Object.entries(EVENTS).map(([value, { kind: label }]) => ({ value, label })),
        ]}
        onChange={(event) => change({ kind: event.currentTarget.value })}
      />
      <NativeSelect
        className="filter"
        aria-label="Who"
        value={who}
        data={[
          { value: '', label: 'Anybody' },
          ...(isKnown ? [] : [{ value: who, label: 'Somebody whose changes are not loaded' }]),
          ...authors,
        ]}
        onChange={(event) => change({ who: event.currentTarget.value })}
      />
    </Group>
  );
}
