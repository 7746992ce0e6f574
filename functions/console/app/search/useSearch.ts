import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { bodyOf } from '../request.ts';
import { useActing } from '../session/session.ts';

/** At most four requests a second. */
const PAUSE_MS = 250;
const MOST_CHARACTERS = 255;

/** What a text finds while it is typed. A request whose text is outdated is cancelled. */
export function useSearch(text: string) {
  const { api, acquirer } = useActing();
  const typed = text.trim().slice(0, MOST_CHARACTERS);
  const [q] = useDebouncedValue(typed, PAUSE_MS);
  const query = useQuery({
    queryKey: [acquirer.id, 'search', q],
    enabled: q !== '' && typed !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/console/api/search', { params: { query: { q } }, signal }))).data,
  });
  return { ...query, isOutdated: q !== typed || query.isPlaceholderData };
}
