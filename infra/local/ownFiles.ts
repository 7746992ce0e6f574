import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/*
 * Files with keys, which no other user of the machine can read. They are private from the start: a file that is made private
 * after it was written has been readable.
 */

const ONLY_OWNER = { folder: 0o700, file: 0o600 };

/**
 * Makes a folder exist.
 *
 * @param isOurs Whether a folder that exists was made by us, so that it is made private too. Others may be shared, as /tmp is.
 */
export function ownFolder(folder: string, isOurs: boolean): void {
  mkdirSync(folder, { recursive: true, mode: ONLY_OWNER.folder });
  if (isOurs) chmodSync(folder, ONLY_OWNER.folder);
}

/** Writes a file as a new one, in place of one that exists: that may be readable, or open. */
export function writeOwnFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: ONLY_OWNER.file, flag: 'wx' });
  renameSync(draft, file);
}

/** Makes a file private that an earlier version may have written. */
export function keepOwnFile(file: string): void {
  if (existsSync(file)) chmodSync(file, ONLY_OWNER.file);
}
