import { storedId } from '../base/mid.ts';
import type { Middleware } from './middleware.ts';

/** Brings path parameters into the form in which ids are stored. */
export const storedPath = (): Middleware => ({
  before: function storedPath({ event }) {
    for (const [name, value = ''] of Object.entries(event.pathParameters ?? {}))
      (event.pathParameters as Record<string, string>)[name] = storedId(value);
  },
});
