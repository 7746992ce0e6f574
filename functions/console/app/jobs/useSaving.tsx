import { type Format, saveExport } from '../bulk/export.ts';
import type { Cell } from '../files/csv.ts';
import { ProblemNotice } from '../resources/ProblemNotice.tsx';
import { useActing } from '../session/session.ts';
import { formatNumber } from '../shared/format.ts';
import { save } from '../shared/save.ts';
import { Doing } from './Doing.tsx';
import { startJob, useJob } from './job.ts';

/** A table in chunks, of which the first has the names of the columns. */
type Table = AsyncIterable<Cell[][]>;

/** How many rows are read and written at once. */
const CHUNK = 1_000;

/** A table of items. The rows of a chunk are read when it is written. */
export async function* inChunks<Item>(
  columns: Cell[],
  items: readonly Item[],
  rowsOf: (some: Item[]) => Cell[][] | Promise<Cell[][]>,
): AsyncGenerator<Cell[][], void> {
  yield [columns];
  for (let at = 0; at < items.length; at += CHUNK) yield await rowsOf(items.slice(at, at + CHUNK));
}

/**
 * Saves tables from the browser's data as files, each in a job.
 *
 * @param subject Tells apart the tables of an acquirer that can be saved at the same time.
 * @returns How to start it, whether it runs, and what it says: its problem or, while there is more to write, how far it is.
 */
export function useSaving(subject: string) {
  const key = `save ${useActing().acquirer.id} ${subject}`;
  const job = useJob<number>(key);
  const start = (table: Table, format: Format, name: string) =>
    startJob<number>(key, async ({ signal, report }) => {
      async function* watched() {
        // The first chunk has the names of the columns.
        let rows = -1;
        for await (const chunk of table) {
          signal.throwIfAborted();
          if (rows > 0) report(rows);
          yield chunk;
          rows += chunk.length;
        }
      }
      const file = await saveExport(watched(), format);
      if (file) save(file, name);
    });
  const notice = () => {
    if (job?.error) return <ProblemNotice error={job.error} />;
    if (!job?.stop || job.progress === undefined) return null;
    return (
      <Doing label="Export" done={job.progress} total={undefined} job={job} stopLabel="Cancel">
        {formatNumber(job.progress)} rows written so far. You can look elsewhere in the console meanwhile.
      </Doing>
    );
  };
  return { start, isRunning: job?.stop !== undefined, notice: notice() };
}
