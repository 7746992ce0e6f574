import { lowerCaseUuid } from '../base/mid.ts';
import type { Middleware } from './middleware.ts';

/** Replaces UUIDs in the path with their lower-case form, in which all are stored. */
export const lowerCasePath = (): Middleware => ({
  before: function lowerCasePath({ event }) {
    for (const [name, value = ''] of Object.entries(event.pathParameters ?? {}))
      (event.pathParameters as Record<string, string>)[name] = lowerCaseUuid(value);
  },
});
