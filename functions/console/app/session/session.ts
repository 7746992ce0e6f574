import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type Api, createApi } from '../api/client.ts';
import { bodyOf, sendOnce } from '../api/request.ts';
import type { paths } from '../api/schema.d.ts';
import { remembered } from '../shared/remembered.ts';

type Body = paths['/console/api/session']['get']['responses'][200]['content']['application/json'];
/** Who is signed in, and the acquirers as which they may act. */
export type Session = Body['data'];
/** An acquirer as which a person may act. */
export type OwnAcquirer = Session['acquirers'][number];
export type Permission = OwnAcquirer['permissions'][number];

/** The client of the session's own operations. Unlike others, it does not wait for a sign-in. */
export const sessionApi = (): Api => createApi('none', { baseUrl: location.origin, send: sendOnce });

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => (await bodyOf(sessionApi().GET('/console/api/session'))).data,
  staleTime: 60_000,
});

/** The UUID of the acquirer as which the person acted last. */
export const lastAcquirer = remembered('console-acquirer');

export interface Acting {
  person: Session['person'];
  acquirer: OwnAcquirer;
  acquirers: OwnAcquirer[];
  api: Api;
}

export const ActingContext = createContext<Acting | undefined>(undefined);

export function useActing(): Acting {
  const acting = useContext(ActingContext);
  if (!acting) throw new Error('Only views of an acquirer can use it.');
  return acting;
}

/** Whether the person's role permits something as this acquirer. The service checks it too. */
export const useMay = (permission: Permission): boolean => useActing().acquirer.permissions.includes(permission);

/**
 * The address that signs a person in, and leads back to a path of the console. It is at the base URL, to which the
 * issuer sends the browser back, wherever the page was opened: at `localhost` or at the API's own host, the sign-in
 * would begin with a cookie that the base URL does not get.
 */
export const signInUrl = (returnTo: string, { again = false } = {}): string =>
  `${document.documentElement.dataset['signIn']}?${new URLSearchParams({ return_to: returnTo, ...(again && { again: 'true' }) })}`;
