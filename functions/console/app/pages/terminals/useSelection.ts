import { useMemo, useRef } from 'react';
import type { Row } from '../../estate/useEstate.ts';
import { holdReload } from '../../shared/draft.ts';
import { inMemory } from '../../shared/observed.ts';
import type { Selection } from './Grid.tsx';

export const MOST_SELECTED = 1_000;

const NONE: ReadonlySet<string> = new Set();
/** The selected terminals of each acquirer, which stay selected while a person looks elsewhere in the console. */
const selections = inMemory<ReadonlySet<string>>();

/**
 * The selected terminals of the estate, at most {@link MOST_SELECTED}.
 *
 * @param rows All rows, of which those that are gone are selected no more.
 * @param shown Those that are shown, in their order.
 */
export function useSelection(acquirer: string, rows: readonly Row[], shown: readonly Row[]) {
  const selected = selections.use(() => selections.get(acquirer) ?? NONE);
  const set = (tids: Iterable<string>) => {
    const next = new Set([...tids].slice(0, MOST_SELECTED));
    holdReload(`selection ${acquirer}`, next.size > 0);
    selections.set(acquirer, next);
  };
  const anchor = useRef(0);
  const chosen = useMemo(() => rows.filter(({ terminal: { tid } }) => selected.has(tid)), [rows, selected]);
  const selection: Selection = {
    has: (tid) => selected.has(tid),
    select(at, { isRange }) {
      if (isRange) {
        const [from, to] = [Math.min(anchor.current, at), Math.max(anchor.current, at)];
        set([...selected, ...shown.slice(from, to + 1).map(({ terminal }) => terminal.tid)]);
        return;
      }
      anchor.current = at;
      const tid = shown[at]?.terminal.tid ?? '';
      set(selected.has(tid) ? [...selected].filter((each) => each !== tid) : [...selected, tid]);
    },
    selectAll: () => set([...selected, ...shown.map(({ terminal }) => terminal.tid)]),
  };
  return { chosen, selection, set };
}
