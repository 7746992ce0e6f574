import { CloseButton, Combobox, Loader, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { useState } from 'react';
import { isSearchable, UNSEARCHABLE } from '../shared/searchedText.ts';
import { Found } from './Found.tsx';
import { SEARCH_FAILED, useFirstOption, useSearch } from './useSearch.ts';

interface Choice<Thing> {
  value: string;
  thing: Thing;
  name: string;
  place: string;
  status?: 'active' | 'archived';
  isDisabled?: boolean;
}

/** A text field that searches, and a list of what is found. Text of which no option is chosen is dropped. */
export function SearchPicker<Thing>({
  chosen,
  choicesOf,
  onChoose,
  onType,
  ...input
}: Omit<TextInputProps, 'value' | 'onChange'> & {
  /** Name of what is chosen; empty for nothing. */
  chosen: string;
  choicesOf: (found: NonNullable<ReturnType<typeof useSearch>['data']>) => Choice<Thing>[];
  onChoose: (thing: Thing | undefined) => void;
  onType?: () => void;
}) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? '';
  const combobox = useCombobox({ onDropdownClose: () => setTyped(undefined) });
  const { data, error, isFetching, isOutdated } = useSearch(text);
  const choices = data ? choicesOf(data) : [];
  const nothing = isSearchable(text) ? `Nothing found for “${text.trim()}”.` : UNSEARCHABLE;
  const { onEnter } = useFirstOption(combobox, text, data !== undefined && !isOutdated);
  const type = (next: string) => {
    setTyped(next.trim() === '' ? undefined : next);
    if (next.trim() !== '') return combobox.openDropdown();
    combobox.closeDropdown();
    if (chosen) onChoose(undefined);
  };
  return (
    <Combobox
      store={combobox}
      shadow="md"
      width="target"
      onOptionSubmit={(value) => {
        onChoose(choices.find((choice) => choice.value === value)?.thing);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          role="combobox"
          {...input}
          value={typed ?? chosen}
          rightSection={
            isFetching ? (
              <Loader size={16} />
            ) : (
              chosen && <CloseButton size="sm" aria-label="Clear" onClick={() => type('')} />
            )
          }
          onChange={(event) => {
            onType?.();
            type(event.currentTarget.value);
          }}
          onKeyDown={onEnter}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={280} className="scrolls">
          {choices.map(({ value, name, place, status = 'active', isDisabled = false }) => (
            <Combobox.Option key={value} value={value} disabled={isDisabled}>
              <Found name={name} place={place} status={status} typed={text} />
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {choices.length === 0 && (
          <Combobox.Empty role="status">
            {error ? SEARCH_FAILED : isFetching || isOutdated ? 'Searching…' : nothing}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
