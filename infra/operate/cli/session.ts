import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { confirm as ask } from '@clack/prompts';
import { actAs } from '../../../lib/record/operator.ts';
import { remote, type Variables } from './connection.ts';
import { identify } from './identity.ts';
import { type LogSearch, logSearchOf } from './logSearch.ts';
import { Stop } from './stop.ts';
import { environmentFor, isInAws, ofAccount, type Target, type TargetOptions, targetOf } from './target.ts';

/** What a command has of its process: the streams, the file of a running `npm start`, and how to connect to a table. */
export interface Host {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  demoFile: string;
  connect: (variables: Variables) => void;
  /** From now on, the first Ctrl-C only aborts this signal. Another one ends the process. */
  interruption: () => AbortSignal;
}

export interface Options extends TargetOptions {
  json?: boolean;
  yes?: boolean;
}

export interface Session {
  host: Host;
  target: Target;
  logSearch: LogSearch;
  /** Shows a growing number, about every 10,000, if there is a terminal and the output is not JSON. */
  showCount(count: number): void;
  /** Prints to stdout: the document as one line of JSON with `--json`, otherwise the text; nothing if that is undefined. */
  print(document: unknown, text: string | undefined): Promise<void>;
  /**
   * Asks for confirmation, unless `--yes` was given.
   *
   * @param what What is going to happen, as it follows "Really".
   * @throws Stop if the answer is not yes, or if there is no interactive terminal.
   */
  confirm(what: string): Promise<void>;
}

const PROGRESS = 10_000;

/**
 * Connects to the table that the options name, and identifies the operator for the operator's record.
 *
 * @throws Stop if there is no such table.
 */
export function openSession({ json, yes, ...selected }: Options, host: Host): Session {
  const options = { local: host.demoFile, ...selected };
  host.connect(environmentFor(options, process.env));
  actAs(async () => ofAccount(options, await identify(isInAws(options))));
  const isInteractive = Boolean(host.stdin.isTTY && host.stderr.isTTY);
  // Also if the command reads a file from stdin.
  const showsProgress = Boolean(host.stderr.isTTY) && !json;
  if (showsProgress) host.stderr.write(`On ${remote('table')}:\n`);
  let shown = 0;
  return {
    host,
    target: targetOf(options),
    logSearch: logSearchOf(options),
    showCount(count) {
      if (!showsProgress || count < shown + PROGRESS) return;
      shown = count;
      host.stderr.write(`${count} so far\n`);
    },
    async print(document, text) {
      const printed = json ? JSON.stringify(document) : text;
      if (printed !== undefined && !host.stdout.write(`${printed}\n`)) await once(host.stdout, 'drain');
    },
    async confirm(what) {
      if (yes) return;
      if (!isInteractive)
        throw new Stop(`Confirmation needs an interactive terminal. Add --yes to ${what}, in ${remote('table')}.`);
      const message = `Really ${what}, in ${remote('table')}?`;
      const answer = await ask({ message, initialValue: false, input: host.stdin, output: host.stderr });
      if (answer !== true) throw new Stop('Nothing was changed.');
    },
  };
}
