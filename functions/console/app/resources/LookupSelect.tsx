import { Select, type SelectProps } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ASKED, useLoadedEstate } from '../estate/loadedEstate.ts';
import { formatNumber } from '../shared/format.ts';
import { useSearchedText } from '../shared/searchedText.ts';
import { type LookupMethod, useLookup } from './data.ts';

const NONE: Record<LookupMethod, string> = {
  masterMerchants: 'There is no business yet. Create a new one.',
  paymentProviders: 'You have no partners yet. Ask support to add them.',
  distributors: 'You have no partners yet. Ask support to add them.',
  paymentApp: 'There are no payment apps yet. Ask support to add them.',
  acquirers: 'There are no master acquirers yet. Ask support to add them.',
};

const NO_ITEMS: Schemas['LookupItem'][] = [];

/**
 * What to call each item, by its key. Of businesses of one name also the ID, and the cities of their branches if the
 * browser has read all branches.
 */
function useNames(items: Schemas['LookupItem'][]): Map<string, string> {
  const estate = useLoadedEstate();
  const named = useMemo(() => Map.groupBy(items, ({ text }) => text), [items]);
  const isAlone = ({ text }: Schemas['LookupItem']) => named.get(text)?.length === 1;
  const alike = items.flatMap((item) => (isAlone(item) ? [] : (item.master_merchant_id ?? [])));
  const { data = [] } = useQuery({
    queryKey: [estate?.acquirer, 'estate', 'cities', alike, estate?.version],
    queryFn: estate && alike.length > 0 ? ({ signal }) => estate.ask('cities', alike, signal) : skipToken,
    ...ASKED,
  });
  const cities = new Map(
    data.map(([business, count, city]) => [business, count > 1 ? `${city} and ${formatNumber(count - 1)} more` : city]),
  );
  const nameOf = ({ text, master_merchant_id: business = '' }: Schemas['LookupItem']) =>
    [text, business, cities.get(business)].filter(Boolean).join(' · ');
  return new Map(items.map((item) => [item.key, isAlone(item) ? item.text : nameOf(item)]));
}

const MOST_HEIGHT = 280;
/** More options than these are for searching, not for scrolling. */
const MOST_SHOWN = 100;

interface LookupProps extends Omit<SelectProps, 'value' | 'onChange' | 'data' | 'label'> {
  method: LookupMethod;
  label: string;
  /** Key of the chosen item; empty for none. It stays even if the lookup does not list it. */
  value: string;
  /** Text of the chosen item, for a lookup whose keys are ids. */
  text?: string;
  onChange: (key: string, text: string) => void;
  query?: { payment_provider?: string };
}

/** A drop-down of a lookup. The service searches while a person types. */
export function LookupSelect({ method, value, text = value, onChange, query = {}, ...select }: LookupProps) {
  const [typed, setTyped] = useState('');
  const [, search] = useSearchedText(typed);
  const lookedUp = useLookup(method, { ...query, ...(search && { search }) });
  const { data = NO_ITEMS, error, isFetching, refetch } = lookedUp;
  const names = useNames(data);
  const options = [...names].slice(0, MOST_SHOWN).map(([key, label]) => ({ value: key, label }));
  if (value && !search && options.every((option) => option.value !== value))
    options.unshift({ value, label: names.get(value) ?? text });
  const more = { value: '', label: 'There are more. Type a part of the name to see them.', disabled: true };
  const nothing = search ? `Nothing found for “${search}”. Try another part of the name.` : NONE[method];
  const failed = 'The list could not be loaded. Close it and open it again.';
  return (
    <Select
      searchable
      clearable={!select.required}
      allowDeselect={false}
      // The list itself scrolls: the arrow keys reach all of it.
      withScrollArea={false}
      classNames={{ options: 'scrolls' }}
      styles={{ options: { maxHeight: MOST_HEIGHT } }}
      nothingFoundMessage={error ? failed : isFetching ? 'Loading…' : nothing}
      {...select}
      value={value || null}
      data={data.length > MOST_SHOWN ? [...options, more] : options}
      // The service has searched, also in what is not shown.
      filter={({ options }) => options}
      loading={isFetching && typed !== ''}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        // The button that clears is for pointers only.
        if (value === '') onChange('', '');
      }}
      onDropdownOpen={() => error && void refetch()}
      onDropdownClose={() => setTyped('')}
      onChange={(key, option) => onChange(key ?? '', option?.label ?? '')}
    />
  );
}
