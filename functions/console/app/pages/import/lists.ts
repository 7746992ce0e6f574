import { queryOptions } from '@tanstack/react-query';
import { bodyOf } from '../../api/request.ts';
import { LISTED, type Lists } from '../../fields/listed.ts';
import type { Acting } from '../../session/session.ts';

/** Reads what the values of some fields must be. One list that is too long lacks items, so the service decides. */
export const listsQuery = ({ api, acquirer }: Acting) =>
  queryOptions({
    queryKey: [acquirer.id, 'lists'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Lists> => {
      const lists = LISTED.map(async ([field, method]) => {
        const { data } = await bodyOf(api.GET('/ext/api/v1/lookup/{method}', { params: { path: { method } }, signal }));
        return [field, data];
      });
      return Object.fromEntries(await Promise.all(lists));
    },
  });
