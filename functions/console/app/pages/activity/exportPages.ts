import { Interrupted } from '../../api/interrupted.ts';
import { createPatience, type PatienceOptions } from '../../api/patience.ts';
import type { Cell } from '../../files/csv.ts';

/** How many rows were exported, and down to when; `null` if to the end. */
export interface PagesExported {
  done: number;
  readTo: string | null;
}

export type ExportControl = PatienceOptions & { onProgress: (progress: PagesExported) => void };

/** A page of changes, the newest first, and where the next one begins. */
interface Page<Data> {
  data: Data;
  meta: { next?: string | null; read_to?: string | null };
}

/**
 * Exports pages of changes in chunks of a page of rows, after a chunk with the names of the columns.
 *
 * @param read Reads the page that begins at a cursor, or the newest one without it.
 * @throws Interrupted when it is ended, or with the problem of a response that it cannot wait out.
 */
export async function* exportPages<Data>(
  {
    columns,
    read,
    rowsOf,
  }: {
    columns: string[];
    read: (cursor: { before?: string }) => Promise<{ data?: Page<Data>; error?: unknown; response: Response }>;
    rowsOf: (data: Data) => Cell[][];
  },
  { onProgress, ...options }: ExportControl,
): AsyncGenerator<Cell[][], void> {
  const patience = createPatience(options);
  yield [columns];
  let done = 0;
  let before: string | null = '';
  while (before !== null) {
    const cursor: { before?: string } = before ? { before } : {};
    const { data: page, problem } = await patience(() => read(cursor));
    if (problem) throw new Interrupted(problem);
    const rows = rowsOf(page.data);
    yield rows;
    done += rows.length;
    onProgress({ done, readTo: page.meta.read_to ?? null });
    before = page.meta.next ?? null;
  }
}
