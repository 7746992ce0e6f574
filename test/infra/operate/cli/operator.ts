import { PassThrough, Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import { configureFor } from '../../../../infra/operate/cli/connection.ts';
import { run } from '../../../../infra/operate/cli/program.ts';
import { type Grants, joined } from '../../../../infra/stack/template/definitions.ts';
import { asRole } from '../../../support/access.ts';
import { grantsIn } from '../../../support/policies.ts';
import { storedBy } from '../../../support/stored.ts';

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

const [OPERATOR, MEMBERS, AUDITOR] = ['operator', 'member-operator', 'auditor'].map(grantsIn) as [
  Grants,
  Grants,
  Grants,
];

/** What whoever may restore a table is granted for its items. */
export const RECOVERY: Grants = joined(OPERATOR, MEMBERS);

/** What whoever may run a command is granted (infra/operate/policies.yml), by the command or its group. */
const GRANTS: Record<string, Grants> = {
  operator: OPERATOR,
  audit: { table: ['Scan'] },
  find: AUDITOR,
  // Of a member only by whoever may also read members.
  history: joined(AUDITOR, MEMBERS),
  members: MEMBERS,
  cards: MEMBERS,
};

interface Io {
  /** The keys pressed at a terminal; without them there is no terminal. */
  keys?: string;
  /** The content of stdin. */
  input?: string | AsyncIterable<Buffer>;
  /** Aborted as by Ctrl-C. */
  interrupted?: AbortSignal;
}

/** Runs a command in this process, on this file's table, with the permissions of whoever may run it. */
export async function operator(
  args: string[],
  { keys, input = '', interrupted = new AbortController().signal }: Io = {},
): Promise<Ran> {
  const isTTY = keys !== undefined;
  const stdin = Object.assign(
    isTTY ? new PassThrough() : Readable.from(typeof input === 'string' ? [Buffer.from(input)] : input),
    {
      isTTY,
      setRawMode: () => {},
    },
  );
  if (stdin instanceof PassThrough) stdin.write(keys);
  const stdout = new Sink();
  const stderr = Object.assign(new Sink(), { isTTY, columns: 1000 });
  const name = args.findLast((arg) => arg in GRANTS) ?? 'operator';
  // This process is connected already, and no `npm start` is running, whatever a developer has started.
  const host = {
    stdin,
    stdout,
    stderr,
    demoFile: 'nonesuch/demo.json',
    connect: configureFor,
    interruption: () => interrupted,
  };
  const exitCode = await asRole(name, () => run(args, host), GRANTS[name]).finally(() => configureFor({}));
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The content of a CSV file with a row per object, and the columns of all of them. */
export function csvOf(...rows: object[]): string {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const cells = rows.map((row) => columns.map((name) => `"${Reflect.get(row, name) ?? ''}"`));
  return [columns, ...cells].map((line) => line.join()).join('\n');
}

/** Runs a command that succeeds, with `--json`, and returns the parsed output. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert the document's shape, they do not rely on it
export async function jsonOf(...args: string[]): Promise<any> {
  const { exitCode, stdout, stderr } = await operator([...args, '--json']);
  if (exitCode !== 0 || stderr !== '') throw new Error(`Exit code ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The names of the groups of commands in a help text. */
export const groupsIn = (help: string): string[] =>
  [...(help.split('\nCommands:\n')[1]?.matchAll(/^ {2}([\w-]+)(?: \S+)* {2,}/gm) ?? [])].map(
    ([, name]) => name as string,
  );

/** The result of a command that fails. */
export const failed = (line: string, exitCode = 1): Ran => ({ exitCode, stdout: '', stderr: `${line}\n` });

/** The result of a command that succeeds. */
export const done = (text: string): Ran => ({ exitCode: 0, stdout: `${text}\n`, stderr: '' });

/** Asserts that a command fails with this line, and stores nothing. */
export async function expectFailure(args: string[], line: string, exitCode?: number, io?: Io): Promise<void> {
  expect(await storedBy(() => operator(args, io))).toEqual({ response: failed(line, exitCode), changed: {} });
}
