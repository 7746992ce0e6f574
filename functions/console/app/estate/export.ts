import type { Api, Schemas } from '../api.ts';
import { type Cell, csvOf } from './csv.ts';
import { createPatience, Interrupted, type Patience, type Waiting } from './patience.ts';
import { readTerminals } from './terminals.ts';

type ListedBranch = Schemas['ListedBranch'];
type Terminal = Schemas['Terminal'];

/** The branch of a terminal. With these columns, an export can be imported again. */
const BRANCH_OF_TERMINAL = [
  'mid',
  'merchant_name',
  'area',
  'city',
  'master_merchant_name',
  'master_merchant_id',
] as const satisfies (keyof ListedBranch)[];
const BRANCH_COLUMNS = [
  ...BRANCH_OF_TERMINAL,
  'status',
  'created_at',
  'updated_at',
  'archived_at',
] as const satisfies (keyof ListedBranch)[];
const TERMINAL_COLUMNS = [
  'terminal_id',
  'serial_no',
  'terminal_model',
  'payment_app',
  'acquirer_name',
  'status',
  'tid',
  'created_at',
  'updated_at',
  'archived_at',
  'archive_reason',
] as const satisfies (keyof Terminal)[];

/** How many branches are done. `total` grows with branches that are created meanwhile. */
export interface ExportProgress {
  done: number;
  total: number;
  /** Whether a search can have missed branches, because its words are too common. */
  isIncomplete: boolean;
}

export interface ExportOptions {
  /** Ends the export, which then throws `Interrupted`. */
  signal: AbortSignal;
  /** Exports only branches that a search finds. */
  search?: string;
  onProgress?: (progress: ExportProgress) => void;
  /** Called when a wait begins, and with `undefined` when it ends. */
  onWaiting?: (waiting: Waiting | undefined) => void;
}

/** Of how many branches terminals are read at once. */
const AT_ONCE = 4;

const rowOf = <Column extends string>(columns: readonly Column[], item: Record<Column, string | null>) =>
  columns.map((column): Cell => item[column]);

/** Reads all branches, the oldest first, a page at a time. */
async function* pagesOf(api: Api, patience: Patience, search: string | undefined) {
  for (let page = 1, next: string | null = ''; next !== null; page += 1) {
    const query = { sort: 'asc', per_page: 100, page, ...(search && { search }) } as const;
    const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants', { params: { query } }));
    if (problem) throw new Interrupted(problem);
    const isIncomplete = data.warnings?.some(({ code }) => code === 'too_many_matches') ?? false;
    yield { branches: data.data, total: data.meta.total, isIncomplete };
    next = data.links.next;
  }
}

/**
 * Exports branches, in chunks of a page of rows, after a chunk with the names of the columns. Branches are sorted by time of creation, the oldest first: those that
 * are created meanwhile come last, so each branch is in it once. With a search, one that is renamed meanwhile can be
 * missing or make another one be missing. Each branch is as it was when its page was read.
 *
 * @throws Interrupted when it is ended, or with the problem of a response that it cannot wait out.
 */
export async function* exportBranches(
  api: Api,
  { signal, search, onProgress, onWaiting }: ExportOptions,
): AsyncGenerator<Cell[][], void> {
  const patience = createPatience({ signal, ...(onWaiting && { onWaiting }) });
  yield [[...BRANCH_COLUMNS]];
  let done = 0;
  for await (const { branches, ...page } of pagesOf(api, patience, search)) {
    yield branches.map((branch) => rowOf(BRANCH_COLUMNS, branch));
    done += branches.length;
    onProgress?.({ done, ...page });
  }
}

/**
 * Exports terminals, a branch after the other in chunks of some branches, with the name, place and master
 * merchant of its branch. Branches are as in {@link exportBranches}. The terminals of a branch are as they were at one
 * time, those of two branches are not: a terminal that is reassigned meanwhile can be in it twice or be missing.
 *
 * @param options.mid Exports only the terminals of this branch.
 * @throws Interrupted as {@link exportBranches}.
 */
export async function* exportTerminals(
  api: Api,
  { signal, mid, search, onProgress, onWaiting }: ExportOptions & { mid?: string },
): AsyncGenerator<Cell[][], void> {
  const patience = createPatience({ signal, ...(onWaiting && { onWaiting }) });
  const recordsOf = async (branch: Pick<ListedBranch, (typeof BRANCH_OF_TERMINAL)[number]>) => {
    const { terminals, problem } = await readTerminals(api, patience, branch.mid);
    if (problem) throw new Interrupted(problem);
    return terminals.map((terminal) => [...rowOf(BRANCH_OF_TERMINAL, branch), ...rowOf(TERMINAL_COLUMNS, terminal)]);
  };

  yield [[...BRANCH_OF_TERMINAL, ...TERMINAL_COLUMNS]];
  let done = 0;
  for await (const { branches, ...page } of mid === undefined
    ? pagesOf(api, patience, search)
    : onlyPage(api, patience, mid))
    for (let at = 0; at < branches.length; at += AT_ONCE) {
      const some = branches.slice(at, at + AT_ONCE);
      const records = await Promise.all(some.map(recordsOf));
      yield records.flat();
      done += some.length;
      onProgress?.({ done, ...page });
    }
}

/** A page with one branch. */
async function* onlyPage(api: Api, patience: Patience, mid: string) {
  const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } } }));
  if (problem) throw new Interrupted(problem);
  yield { branches: [data.data], total: 1, isIncomplete: false };
}

/** The kinds of a file: how it ends, and its type. */
export const FORMATS = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv;charset=utf-8',
};
export type Format = keyof typeof FORMATS;

async function* csvBytes(chunks: AsyncIterable<Cell[][]>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  let isFirst = true;
  for await (const rows of chunks) {
    yield encoder.encode(csvOf(rows, { isFirst }));
    isFirst = false;
  }
}

/**
 * Writes rows in chunks as a file to a stream, such as one of the File System Access API, or else collects them.
 *
 * @returns The file if there is no stream.
 * @throws The error of the rows or the stream, which is then aborted.
 */
export async function saveExport(
  chunks: AsyncIterable<Cell[][]>,
  format: Format,
  stream?: WritableStream<Uint8Array>,
): Promise<Blob | undefined> {
  // The writer of workbooks is loaded when one is written.
  const bytes = format === 'csv' ? csvBytes(chunks) : (await import('./writeWorkbook.ts')).workbookBytes(chunks);
  if (stream) {
    const writer = stream.getWriter();
    try {
      for await (const chunk of bytes) await writer.write(chunk);
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => {});
      throw error;
    }
    return undefined;
  }
  const parts: Blob[] = [];
  // Browsers can keep a Blob on disk, but not bytes.
  for await (const chunk of bytes) parts.push(new Blob([chunk]));
  return new Blob(parts, { type: FORMATS[format] });
}
