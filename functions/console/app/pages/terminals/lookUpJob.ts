import { lookUpTerminals } from '../../bulk/lookUpTerminals.ts';
import { findPasted, idsIn, type Pasted } from '../../estate/pasted.ts';
import { startJob, useJob } from '../../jobs/job.ts';
import { type Acting, useActing } from '../../session/session.ts';
import { inMemory } from '../../shared/observed.ts';
import { selectRows } from './useSelectedRows.ts';
import { MOST_SELECTED } from './useSelection.ts';
import { rowOf } from './useServicePages.ts';

interface Progress {
  done: number;
  total: number;
}

/** How many of a list are looked up: a cell that nothing has may be several numbers. */
const MOST_LOOKED_UP = 2 * MOST_SELECTED;

const keyOf = (acquirer: string) => `look up ${acquirer}`;
/** What became of the last list of each acquirer. */
const results = inMemory<Pasted>();

/** Looks up the terminals of a pasted list, as a job, and selects them in place of others. */
export function startLookUp({ api, acquirer: { id } }: Acting, text: string): void {
  const ids = [...idsIn(text)].filter(([plain]) => /\p{N}/u.test(plain)).slice(0, MOST_LOOKED_UP);
  results.set(id, undefined);
  startJob<Progress>(keyOf(id), async ({ report, ...control }) => {
    const texts = ids.map(([, typed]) => typed);
    const onProgress = ({ size }: { size: number }) => report({ done: size, total: texts.length });
    const holders = await lookUpTerminals(api, texts, { ...control, onProgress });
    const found = ids.flatMap(([plain, typed]) => {
      const { found: terminal, until } = holders.get(typed) ?? {};
      return terminal && until === undefined ? [[plain, terminal] as const] : [];
    });
    const pasted = findPasted(text, new Map(found.map(([plain, { tid }]) => [plain, tid])), MOST_SELECTED);
    const rows = new Map(found.map(([, terminal]) => [terminal.tid, rowOf(terminal)]));
    selectRows(
      id,
      pasted.tids.flatMap((tid) => rows.get(tid) ?? []),
    );
    results.set(id, pasted);
  });
}

/** How far looking up a list is, and what became of it until it is forgotten. */
export function useLookUp() {
  const { id } = useActing().acquirer;
  return {
    job: useJob<Progress>(keyOf(id)),
    pasted: results.use(() => results.get(id)),
    forget: () => results.set(id, undefined),
  };
}
