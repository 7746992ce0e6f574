import { CloseButton, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useDebouncedText } from '../../shared/address.ts';
import { isSearchable, MOST_CHARACTERS, UNSEARCHABLE } from '../../shared/searchedText.ts';

export function SearchField({
  search,
  onSearch,
  error,
}: {
  search: string;
  onSearch: (search: string) => void;
  error: string | undefined;
}) {
  const [typed, setTyped] = useState({ text: search, from: search });
  const [isUnsearchable, setIsUnsearchable] = useState(false);
  // What was typed counts until another search is in the address, such as when the person goes back.
  const text = [typed.from, typed.text.trim()].includes(search) ? typed.text : search;
  const later = useDebouncedText((next) => {
    const isSearch = next === '' || isSearchable(next);
    setIsUnsearchable(!isSearch);
    if (!isSearch) return;
    setTyped((before) => ({ ...before, from: next }));
    onSearch(next);
  });
  const type = (next: string) => {
    setTyped({ text: next, from: search });
    later.type(next.trim());
  };
  return (
    <TextInput
      type="search"
      className="grows"
      maw={440}
      aria-label="Search branches"
      placeholder="Words of a name, city or business, or a MID"
      maxLength={MOST_CHARACTERS}
      value={text}
      error={error}
      description={isUnsearchable && text !== '' ? UNSEARCHABLE : undefined}
      inputWrapperOrder={['input', 'description', 'error']}
      leftSection={<Search size={16} />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => type('')} />}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && later.flush()}
    />
  );
}
