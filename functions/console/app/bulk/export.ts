import type { Api } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import { createPatience, type Patience, type PatienceOptions } from '../api/patience.ts';
import { NoResponse } from '../api/request.ts';
import { readTerminals, terminalPages } from '../api/terminalPages.ts';
import { LISTED_BRANCH, TERMINAL_FIELDS } from '../fields/fields.ts';
import { type Cell, csvOf } from '../files/csv.ts';

const TIMES = ['created_at', 'updated_at', 'archived_at'] as const;
export const BRANCH_COLUMNS = Object.keys(LISTED_BRANCH) as (keyof typeof LISTED_BRANCH)[];
const TERMINAL_COLUMNS = [...TERMINAL_FIELDS, 'status', 'tid', ...TIMES, 'archive_reason'] as const;
/** The branch of a terminal. With these columns, an export can be imported again. */
const OF_BRANCH = BRANCH_COLUMNS.filter((name) => name !== 'status' && !TIMES.some((time) => time === name));

/** How many branches are done. `total` grows with branches that are created meanwhile. */
export interface ExportProgress {
  done: number;
  total: number;
  /** Whether a search can have missed branches, because its words are too common. */
  isIncomplete: boolean;
}

export interface ExportOptions extends Pick<PatienceOptions, 'signal' | 'onWaiting'> {
  /** Exports only branches that a search finds. */
  search?: string | undefined;
  onProgress?: (progress: ExportProgress) => void;
}

/** The terminals of up to so many branches are read branch by branch. For more, all terminals are read. */
const FEW = 10;

const rowOf = <Column extends string>(columns: readonly Column[], item: Record<Column, string | null>) =>
  columns.map((column): Cell => item[column]);

export const branchCells = (branch: Record<(typeof BRANCH_COLUMNS)[number], string | null>): Cell[] =>
  rowOf(BRANCH_COLUMNS, branch);

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
 * Exports branches, in chunks of a page of rows, after a chunk with the names of the columns. The oldest come first, so
 * those that are created meanwhile come last, and each branch is in it once. With a search, one that is renamed
 * meanwhile can be missing or make another one be missing. Each branch is as it was when its page was read.
 *
 * @throws Interrupted when it is ended, or with the problem of a response that it cannot wait out.
 */
export async function* exportBranches(
  api: Api,
  { search, onProgress, ...options }: ExportOptions,
): AsyncGenerator<Cell[][], void> {
  yield [[...BRANCH_COLUMNS]];
  let done = 0;
  for await (const { branches, ...page } of pagesOf(api, createPatience(options), search)) {
    yield branches.map(branchCells);
    done += branches.length;
    onProgress?.({ done, ...page });
  }
}

/**
 * Exports terminals in chunks, those of the oldest branch first, each with the name, place and master merchant of its
 * branch. All branches are read before. Two chunks are not of one time: a terminal that is reassigned meanwhile can be
 * in it twice or be missing, as are those of a branch that is created meanwhile.
 *
 * @param options.mid Exports only the terminals of this branch.
 * @throws Interrupted as {@link exportBranches}.
 */
export async function* exportTerminals(
  api: Api,
  { mid, search, onProgress, ...options }: ExportOptions & { mid?: string | undefined },
): AsyncGenerator<Cell[][], void> {
  const patience = createPatience(options);
  yield [[...OF_BRANCH, ...TERMINAL_COLUMNS]];
  const branches = new Map<string, Record<(typeof OF_BRANCH)[number], string | null>>();
  const progress = { done: 0, total: 1, isIncomplete: false };
  for await (const page of mid === undefined ? pagesOf(api, patience, search) : onlyPage(api, patience, mid)) {
    for (const branch of page.branches) branches.set(branch.mid, branch);
    Object.assign(progress, { total: page.total, isIncomplete: page.isIncomplete });
    onProgress?.({ ...progress });
  }
  const mids = [...branches.keys()];
  for await (const terminals of mids.length > FEW ? terminalPages(api, patience, 1_000) : ofEach(api, patience, mids)) {
    yield terminals.flatMap((terminal) => {
      const branch = branches.get(terminal.mid);
      return branch ? [[...rowOf(OF_BRANCH, branch), ...rowOf(TERMINAL_COLUMNS, terminal)]] : [];
    });
    progress.done = Math.max(progress.done, mids.indexOf(terminals.at(-1)?.mid ?? ''));
    onProgress?.({ ...progress });
  }
  onProgress?.({ ...progress, done: mids.length, total: mids.length });
}

/** A page with one branch. */
async function* onlyPage(api: Api, patience: Patience, mid: string) {
  const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } } }));
  if (problem) throw new Interrupted(problem);
  yield { branches: [data.data], total: 1, isIncomplete: false };
}

async function* ofEach(api: Api, patience: Patience, mids: string[]) {
  for (const mid of mids) yield readTerminals(api, patience, mid);
}

/** The kinds of a file: how it ends, and its type. */
export const FORMATS = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv;charset=utf-8',
};
export type Format = keyof typeof FORMATS;

async function* csvBytes(chunks: AsyncIterable<Cell[][]>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let isFirst = true;
  for await (const rows of chunks) {
    yield new TextEncoder().encode(csvOf(rows, { isFirst }));
    isFirst = false;
  }
}

/** The writer of workbooks, which is loaded when one is written. */
const loadWriter = () =>
  import('../files/writeWorkbook.ts').catch((cause: Error) => {
    throw new NoResponse('The writer of workbooks was not loaded.', { cause });
  });

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
  const bytes = format === 'csv' ? csvBytes(chunks) : (await loadWriter()).workbookBytes(chunks);
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
