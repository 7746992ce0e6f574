import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { confirm as ask } from '@clack/prompts';
import type { Command } from 'commander';
import { Stop } from './stop.ts';
import { environmentFor, isInAws, place, type TargetOptions } from './target.ts';

/** Where a command reads and writes; `process` is one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}

/** The options that every command takes. */
export interface Options extends TargetOptions {
  json?: boolean;
  yes?: boolean;
}

export type Service = typeof import('./service.ts');

/** What a command works with. */
export interface Session {
  io: Io;
  /** The service's modules, on the table that the options name. */
  service: Service;
  /** Whether somebody sits there who can be shown progress. */
  showsProgress: boolean;
  /** Answers on stdout: a JSON document on its line, or a text for people. */
  response(document: unknown, text: string): Promise<void>;
  /**
   * Asks before something is taken away, unless `--yes` was given.
   *
   * @param what Exactly what is going to happen, as it follows "Really".
   * @throws Stop when the answer is no, or there is nobody to ask.
   */
  confirm(what: string): Promise<void>;
}

/** Makes of what a command does what commander calls, with the command's arguments, its options and itself. */
export type Action = <A extends unknown[]>(
  work: (session: Session, ...args: A) => Promise<void>,
) => (...args: A) => Promise<void>;

/** Adds a group of commands to the program. */
export type Group = (program: Command, action: Action) => void;

/**
 * Sets this process on the table that the options name, and has the operator's record name who runs it.
 *
 * @throws Stop when there is none.
 */
export async function openSession({ json, yes, ...options }: Options, io: Io): Promise<Session> {
  Object.assign(process.env, environmentFor(options, process.env));
  const service = await import('./service.ts');
  service.actAs(() => service.identify(isInAws(options)));
  const attended = Boolean(io.stdin.isTTY && io.stderr.isTTY);
  if (attended && !json) io.stderr.write(`On ${place('table')}:\n`);
  return {
    io,
    service,
    showsProgress: attended && !json,
    async response(document, text) {
      if (!io.stdout.write(`${json ? JSON.stringify(document) : text}\n`)) await once(io.stdout, 'drain');
    },
    async confirm(what) {
      if (yes) return;
      if (!attended) throw new Stop(`Nobody can be asked whether to ${what}, in ${place('table')}: add --yes.`);
      const message = `Really ${what}, in ${place('table')}?`;
      const response = await ask({ message, initialValue: false, input: io.stdin, output: io.stderr });
      if (response !== true) throw new Stop('Nothing was changed.');
    },
  };
}
