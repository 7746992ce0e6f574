import { readBy } from './reading.ts';
import type { Pasted, TableFile } from './readTable.ts';

const start = () => new Worker(document.documentElement.dataset['reader'] as string, { type: 'module' });

/** Reads a file as `readTable` does. */
export const readFile = (file: Blob, signal: AbortSignal): Promise<TableFile> => readBy(start, file, signal);

/** Reads a pasted text as `readPaste` does. */
export const readPasted = (text: string, signal: AbortSignal): Promise<Pasted> => readBy(start, text, signal);
