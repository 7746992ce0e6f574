import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';
import { useLookup } from './data.ts';
import { texts } from './formTexts.ts';
import { useSearchedText } from './searchedText.ts';

const MOST_HEIGHT = 280;
/** More options than these are for searching, not for scrolling. */
const MOST_SHOWN = 100;

interface LookupProps extends Omit<SelectProps, 'value' | 'onChange' | 'data' | 'label'> {
  method: Parameters<typeof useLookup>[0];
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
  const { data = [], error, isFetching, refetch } = useLookup(method, { ...query, ...(search && { search }) });
  const options = data.slice(0, MOST_SHOWN).map((item) => ({ value: item.key, label: item.text }));
  if (value && !search && options.every((option) => option.value !== value))
    options.unshift({ value, label: data.find(({ key }) => key === value)?.text ?? text });
  const more = { value: '', label: texts.lookup.more, disabled: true };
  const nothing = search ? texts.lookup.nothing(search) : texts.lookup.none[method];
  return (
    <Select
      searchable
      clearable={!select.required}
      allowDeselect={false}
      // The list itself scrolls: the arrow keys reach all of it.
      withScrollArea={false}
      classNames={{ options: 'scrolls' }}
      styles={{ options: { maxHeight: MOST_HEIGHT } }}
      nothingFoundMessage={error ? texts.lookup.failed : isFetching ? texts.lookup.loading : nothing}
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
