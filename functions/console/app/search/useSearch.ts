import type { ComboboxStore } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { bodyOf } from '../api/request.ts';
import { useActing } from '../session/session.ts';
import { useSearchedText } from '../shared/searchedText.ts';

export const SEARCH_FAILED = 'Search failed. Change the text to retry.';

const searchQuery = ({ api, acquirer }: ReturnType<typeof useActing>, q: string) =>
  queryOptions({
    queryKey: [acquirer.id, 'search', q],
    queryFn: async ({ signal }) => {
      const { data, warnings } = await bodyOf(api.GET('/console/api/search', { params: { query: { q } }, signal }));
      return { ...data, warnings };
    },
  });

/** What a code finds. */
export const useFound = (code = '') => useQuery({ ...searchQuery(useActing(), code), enabled: code !== '' });

/** What a text finds while it is typed. A request whose text is outdated is cancelled. */
export function useSearch(text: string) {
  const [typed, q] = useSearchedText(text);
  const query = useQuery({
    ...searchQuery(useActing(), q),
    enabled: q !== '' && typed !== '',
    placeholderData: keepPreviousData,
  });
  return { ...query, isOutdated: q !== typed || query.isPlaceholderData };
}

/**
 * Chooses an option when results arrive, so that Enter takes it. An Enter that comes before the results of a text takes
 * it as soon as it is there. Until then no option is chosen, so that Enter takes none of an earlier text.
 */
export function useFirstOption(combobox: ComboboxStore, text: string, isReady: boolean, at = 0) {
  const awaited = useRef<string>(undefined);
  const { selectFirstOption, selectOption, resetSelectedOption, clickSelectedOption } = combobox;
  const { dropdownOpened, getSelectedOptionIndex } = combobox;
  useEffect(() => {
    if (!dropdownOpened) awaited.current = undefined;
    if (!isReady) resetSelectedOption();
    if (!isReady || !dropdownOpened) return;
    // The options are shown after this.
    const frame = requestAnimationFrame(() => {
      const option = at > 0 ? selectOption(at) : selectFirstOption();
      if (option !== null && awaited.current === text) clickSelectedOption();
      awaited.current = undefined;
    });
    return () => cancelAnimationFrame(frame);
  }, [text, isReady, at, dropdownOpened, selectFirstOption, selectOption, resetSelectedOption, clickSelectedOption]);
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !dropdownOpened || getSelectedOptionIndex() !== -1) return;
    event.preventDefault();
    awaited.current = text;
  };
  return { onEnter, awaited };
}
