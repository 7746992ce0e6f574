import type { Api } from '../api/client.ts';
import {
  type ExportProgress,
  exportBranches,
  exportTerminals,
  FORMATS,
  type Format,
  saveExport,
} from '../bulk/export.ts';
import type { Cell } from '../files/csv.ts';
import { save } from '../shared/save.ts';
import { startJob } from './job.ts';

export interface Exported {
  what: 'branches' | 'terminals';
  format: Format;
  mid?: string;
  search?: string;
}

/** How far an export is, when it began, and the name of its file. */
export interface ExportState extends ExportProgress {
  startedAt: number;
  name: string;
}

/** A part of the File System Access API, which not all browsers have. */
interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
    types: { accept: Record<string, string[]> }[];
  }) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array>>; remove?: () => Promise<void> }>;
}

type Control<Progress> = Parameters<Parameters<typeof startJob<Progress>>[1]>[0];

/**
 * Saves rows in chunks as a file, as a job: to a place that the browser asks for first or, where it cannot, as a
 * download at the end.
 */
export async function startSaving<Progress>(
  key: string,
  format: Format,
  name: string,
  chunksOf: (control: Control<Progress>) => AsyncIterable<Cell[][]>,
): Promise<void> {
  const picked = await (globalThis as Picker)
    .showSaveFilePicker?.({
      suggestedName: name,
      types: [{ accept: { [FORMATS[format].split(';')[0] as string]: [`.${format}`] } }],
    })
    .catch((error: Error) => (error.name === 'AbortError' ? 'nowhere' : undefined));
  if (picked === 'nowhere') return;
  startJob<Progress>(key, async (control) => {
    try {
      const file = await saveExport(chunksOf(control), format, await picked?.createWritable());
      if (file) save(file, name);
    } catch (error) {
      await picked?.remove?.().catch(() => {});
      throw error;
    }
  });
}

/** Exports branches or terminals, as {@link startSaving} does. */
export function startExport(
  api: Api,
  key: string,
  { what, format, mid, search }: Exported,
  name: string,
): Promise<void> {
  return startSaving<ExportState>(key, format, name, ({ report, ...control }) => {
    const startedAt = Date.now();
    const options = { ...control, search, onProgress: (now: ExportProgress) => report({ ...now, startedAt, name }) };
    return what === 'branches' ? exportBranches(api, options) : exportTerminals(api, { ...options, mid });
  });
}
