import { Command } from 'commander';
import type { Keyring } from '../../lib/acquirers/keyring.ts';
import { acquirerNamed } from './acquirerNames.ts';
import { type Io, type Options, openSession, type Session } from './session.ts';

/** A command whose work gets a session. */
export class SessionCommand extends Command {
  readonly #io: Io;

  constructor(io: Io, name?: string) {
    super(name);
    this.#io = io;
  }

  override createCommand(name?: string): SessionCommand {
    return new SessionCommand(this.#io, name);
  }

  /** Sets the work of the command, which also gets its arguments and options. */
  runs<A extends unknown[]>(work: (session: Session, ...args: A) => Promise<void>): this {
    return this.action(async (...args) =>
      work(await openSession(this.optsWithGlobals<Options>(), this.#io), ...(args as unknown as A)),
    );
  }

  /** Sets the work of a command on the acquirer whose name or id is the first argument. */
  runsOnAcquirer<A extends unknown[]>(work: (session: Session, acquirer: Keyring, ...args: A) => Promise<void>): this {
    return this.runs(async (session, text: string, ...args: A) =>
      work(session, await acquirerNamed(session.service, text), ...args),
    );
  }
}

/** Adds a group of commands to the program. */
export type Group = (program: SessionCommand) => void;
