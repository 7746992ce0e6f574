import createFetchClient, { type Client } from 'openapi-fetch';
import type { components as OfPartners, paths as PartnersPaths } from '../../../../docs/client/schema.d.ts';
import type { paths as ConsolePaths, components as OfConsole } from './schema.d.ts';

/** Schemas of partners' operations, such as `Schemas['Terminal']`, and of the console's own. */
export type Schemas = OfPartners['schemas'];
export type ConsoleSchemas = OfConsole['schemas'];

export type Problem = Schemas['Problem'];

/** The header of requests that a timer sends: a tab that is only open does not keep its session. */
export const UNATTENDED = { Unattended: 'true' };

export type Api = Client<ConsolePaths & PartnersPaths>;

/** Creates the client of a person who acts as an acquirer by its UUID, or as `none` for the session's operations. */
export const createApi = (
  actingAs: string,
  { baseUrl, send }: { baseUrl: string; send: (request: Request) => Promise<Response> },
): Api =>
  createFetchClient<ConsolePaths & PartnersPaths>({
    baseUrl,
    headers: { 'Acting-As': actingAs },
    fetch: send,
  });
