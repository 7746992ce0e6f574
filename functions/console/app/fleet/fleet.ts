import type { Branch, Row } from './row.ts';

export type { Branch, Row, Terminal } from './row.ts';

export type FleetState =
  /** It is read for the first time. What has been read so far can be used. */
  | { kind: 'walking'; terminals: number; branches: number }
  /** It has every change before this time. Those of others appear about 25 seconds after they are made. */
  | { kind: 'following'; completeTo: string }
  /** More than 50,000 terminals or branches: use the lists and the search of the service. */
  | { kind: 'too_large' }
  | { kind: 'failed'; error: unknown; retry: () => void };

export interface Fleet {
  rows: readonly Row[];
  branches: ReadonlyMap<string, Branch>;
  state: FleetState;
}

const NOTHING: Fleet = { rows: [], branches: new Map(), state: { kind: 'walking', terminals: 0, branches: 0 } };

/** The estate of the acquirer that one acts for; starts and follows it while any component uses it. */
export function useFleet(): Fleet {
  return NOTHING;
}
