import { useMemo, useRef } from 'react';
import { useActing } from '../../session/session.ts';
import { holdReload } from '../../shared/draft.ts';
import { inMemory } from '../../shared/observed.ts';
import type { Row } from './columns.tsx';
import type { Selection } from './Grid.tsx';
import { MOST_SELECTED } from './useSelection.ts';

const NONE: readonly Row[] = [];
/** The selected terminals of each acquirer, as they were read. */
const selections = inMemory<readonly Row[]>();

/** Selects terminals of an acquirer, in place of others: at most {@link MOST_SELECTED}. */
export function selectRows(acquirer: string, rows: readonly Row[]): void {
  const next = [...new Map(rows.map((row) => [row.terminal.tid, row])).values()].slice(0, MOST_SELECTED);
  holdReload(`selection ${acquirer}`, next.length > 0);
  selections.set(acquirer, next);
}

/**
 * The selected terminals of an estate that is not in the browser.
 *
 * @param read What was read, which may be newer than what is selected.
 */
export function useSelectedRows(read: readonly Row[]) {
  const { id } = useActing().acquirer;
  const selected = selections.use(() => selections.get(id) ?? NONE);
  const anchor = useRef(0);
  const tids = useMemo(() => new Set(selected.map(({ terminal }) => terminal.tid)), [selected]);
  const chosen = useMemo(() => {
    const known = new Map(read.map((row) => [row.terminal.tid, row]));
    return selected.map((row) => {
      const other = known.get(row.terminal.tid);
      return other && other.terminal.updated_at > row.terminal.updated_at ? other : row;
    });
  }, [selected, read]);
  const set = (rows: readonly Row[]) => selectRows(id, rows);
  const add = (rows: readonly Row[]) => set([...(selections.get(id) ?? NONE), ...rows]);
  const selectionOf = (shown: readonly Row[]): Selection => ({
    has: (tid) => tids.has(tid),
    async select(at, { isRange }) {
      if (isRange) return add(shown.slice(Math.min(anchor.current, at), Math.max(anchor.current, at) + 1));
      anchor.current = at;
      const row = shown[at];
      if (!row) return;
      const { tid } = row.terminal;
      if (tids.has(tid)) set(selected.filter(({ terminal }) => terminal.tid !== tid));
      else add([row]);
    },
    selectAll: async () => add(shown),
  });
  return { chosen, selectionOf, set, add };
}
