import { lowerCaseUuid } from '../base/mid.ts';
import type { Middleware } from './middleware.ts';

/** Converts UUIDs in path parameters to lower case, in which all are stored. */
export const lowerCasePath = (): Middleware => ({
  before: function lowerCasePath({ event }) {
    for (const [name, value = ''] of Object.entries(event.pathParameters ?? {}))
      (event.pathParameters as Record<string, string>)[name] = lowerCaseUuid(value);
  },
});
