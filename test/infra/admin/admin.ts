import { PassThrough, Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import { run } from '../../../infra/admin/program.ts';
import { storedBy } from '../../support/stored.ts';

/** The output of a command and its exit code. */
export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

class Sink extends Writable {
  text = '';
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

interface Io {
  /** The keys pressed at a terminal; without them there is no terminal. */
  keys?: string;
  /** The content of stdin. */
  input?: string;
}

/** Runs a command in this process, on this file's table. */
export async function admin(args: string[], { keys, input = '' }: Io = {}): Promise<Ran> {
  const isTTY = keys !== undefined;
  const stdin = Object.assign(isTTY ? new PassThrough() : Readable.from([Buffer.from(input)]), {
    isTTY,
    setRawMode: () => {},
  });
  if (stdin instanceof PassThrough) stdin.write(keys);
  const stdout = new Sink();
  const stderr = Object.assign(new Sink(), { isTTY, columns: 1000 });
  const exitCode = await run(args, { stdin, stdout, stderr });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command that succeeds, with `--json`, and returns the parsed output. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert the document's shape, they do not rely on it
export async function jsonOf(...args: string[]): Promise<any> {
  const { exitCode, stdout, stderr } = await admin([...args, '--json']);
  if (exitCode !== 0 || stderr !== '') throw new Error(`Exit code ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The names of the groups of commands in a help text. */
export const groupsIn = (help: string): string[] =>
  [...(help.split('\nCommands:\n')[1]?.matchAll(/^ {2}([\w-]+)(?: \S+)* {2,}/gm) ?? [])].map(
    ([, name]) => name as string,
  );

/** The cells of what a command prints as a table, line by line. An empty cell merges with the gaps beside it. */
export const cellsIn = ({ stdout }: Ran): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

/** The result of a command that fails. */
export const failed = (line: string, exitCode = 1): Ran => ({ exitCode, stdout: '', stderr: `${line}\n` });

/** The result of a command that succeeds. */
export const done = (text: string): Ran => ({ exitCode: 0, stdout: `${text}\n`, stderr: '' });

/** Asserts that a command fails with this line, and stores nothing. */
export async function expectFailure(args: string[], line: string, exitCode?: number, io?: Io): Promise<void> {
  expect(await storedBy(() => admin(args, io))).toEqual({ response: failed(line, exitCode), changed: {} });
}
