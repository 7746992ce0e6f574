import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { confirm as ask } from '@clack/prompts';
import { Stop } from './stop.ts';
import { environmentFor, isInAws, ofAccount, place, type Target, type TargetOptions, targetOf } from './target.ts';

/** The streams of a command, such as `process`. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}

/** The options of every command. */
export interface Options extends TargetOptions {
  json?: boolean;
  yes?: boolean;
}

export type Service = typeof import('./service.ts');

/** The context of a running command. */
export interface Session {
  io: Io;
  /** The service's modules, using the table that the options name. */
  service: Service;
  /** What is known of the service that uses this table. */
  target: Target;
  /** Whether to show a progress bar: the terminal is interactive and the output is not JSON. */
  showsProgress: boolean;
  /** Prints to stdout: the document as one line of JSON with `--json`, otherwise the text. */
  print(document: unknown, text: string): Promise<void>;
  /**
   * Asks for confirmation, unless `--yes` was given.
   *
   * @param what What is going to happen, as it follows "Really".
   * @throws Stop if the answer is not yes, or if there is no interactive terminal.
   */
  confirm(what: string): Promise<void>;
}

/**
 * Configures this process for the table that the options name, and identifies the operator for the operator's record.
 *
 * @throws Stop if there is no such table.
 */
export async function openSession({ json, yes, ...options }: Options, io: Io): Promise<Session> {
  Object.assign(process.env, environmentFor(options, process.env));
  const service = await import('./service.ts');
  service.actAs(async () => ofAccount(options, await service.identify(isInAws(options))));
  const isInteractive = Boolean(io.stdin.isTTY && io.stderr.isTTY);
  if (isInteractive && !json) io.stderr.write(`On ${place('table')}:\n`);
  return {
    io,
    service,
    target: targetOf(options),
    showsProgress: isInteractive && !json,
    async print(document, text) {
      if (!io.stdout.write(`${json ? JSON.stringify(document) : text}\n`)) await once(io.stdout, 'drain');
    },
    async confirm(what) {
      if (yes) return;
      if (!isInteractive)
        throw new Stop(`Confirmation needs an interactive terminal. Add --yes to ${what}, in ${place('table')}.`);
      const message = `Really ${what}, in ${place('table')}?`;
      const answer = await ask({ message, initialValue: false, input: io.stdin, output: io.stderr });
      if (answer !== true) throw new Stop('Nothing was changed.');
    },
  };
}
