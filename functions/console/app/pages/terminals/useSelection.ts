import { useCallback, useMemo, useRef } from 'react';
import type { Criteria, Row } from '../../../../../docs/client/estate/estate.ts';
import { useAnswer } from '../../estate/estatePage.ts';
import { useActing } from '../../session/session.ts';
import { holdReload } from '../../shared/draft.ts';
import { inMemory } from '../../shared/observed.ts';
import type { Items, Selection } from './Grid.tsx';

export const MOST_SELECTED = 1_000;

const NONE: ReadonlySet<string> = new Set();
const NO_ROWS: Row[] = [];
/** The selected terminals of each acquirer, which stay selected while a person looks elsewhere in the console. */
const selections = inMemory<ReadonlySet<string>>();

/** The selected terminals of the estate in an order, at most {@link MOST_SELECTED}. Those that are gone are selected no more. */
export function useSelection(sort: Criteria['sort']) {
  const { id } = useActing().acquirer;
  const selected = selections.use(() => selections.get(id) ?? NONE);
  const tids = useMemo(() => [...selected], [selected]);
  const { data = NO_ROWS } = useAnswer('chosen', { tids, sort }, { isAsked: tids.length > 0 });
  const chosen = useMemo(() => data.filter(({ terminal: { tid } }) => selected.has(tid)), [data, selected]);
  const anchor = useRef(0);
  const set = useCallback(
    (next: Iterable<string>) => {
      const taken = new Set([...next].slice(0, MOST_SELECTED));
      holdReload(`selection ${id}`, taken.size > 0);
      selections.set(id, taken);
    },
    [id],
  );
  const add = useCallback((more: readonly string[]) => set([...(selections.get(id) ?? NONE), ...more]), [id, set]);
  /** @param tidsIn The TIDs of the items from one place to another, also where they are not read yet. */
  const selectionOf = useCallback(
    (items: Items<Row>, tidsIn: (from: number, to: number) => Promise<string[]>): Selection => ({
      has: (tid) => selected.has(tid),
      async select(at, { isRange }) {
        if (isRange) return add(await tidsIn(Math.min(anchor.current, at), Math.max(anchor.current, at) + 1));
        anchor.current = at;
        const tid = items.at(at)?.terminal.tid;
        if (tid === undefined) return;
        set(selected.has(tid) ? [...selected].filter((each) => each !== tid) : [...selected, tid]);
      },
      selectAll: async () => add(await tidsIn(0, MOST_SELECTED)),
    }),
    [selected, set, add],
  );
  return { chosen, selectionOf, set, add };
}
