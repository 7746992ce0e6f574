import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** The API for `fetch`: paths, parameters, bodies and answers are those of the contract. */
export const partnerApi = (baseUrl: string, apiKey: string) =>
  createClient<paths>({ baseUrl, headers: { 'API-KEY': apiKey } });
