import { readBy } from './reading.ts';
import type { Pasted, TableFile } from './readTable.ts';

/** A file of its own, so that the policy of the page allows it. */
const start = () => new Worker(new URL('./reader.worker.ts', import.meta.url), { type: 'module' });

/** Reads a file as `readTable` does. */
export const readFile = (file: Blob, signal: AbortSignal): Promise<TableFile> => readBy(start, file, signal);

/** Reads a pasted text as `readPaste` does. */
export const readPasted = (text: string, signal: AbortSignal): Promise<Pasted> => readBy(start, text, signal);
