import type { Criteria } from '../../../../docs/client/estate/estate.ts';

/** What is shown first at the next visit, before all of what is kept is read: each is asked exactly so, but for `now`. */
export const FIRST = {
  terminals: {
    criteria: { text: '', filters: {}, sort: { by: 'updated_at', isDescending: true } } satisfies Criteria,
    from: 0,
    to: 100,
  },
  figures: { most: 6 },
} as const;
