import { Command } from 'commander';
import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { acquirer } from './input.ts';
import { acquirerNamed } from './names.ts';
import { type Host, type Options, openSession, type Session } from './session.ts';

export class SessionCommand extends Command {
  readonly #host: Host;

  constructor(host: Host, name?: string) {
    super(name);
    this.#host = host;
  }

  override createCommand(name?: string): SessionCommand {
    return new SessionCommand(this.#host, name);
  }

  add(name: string, description: string): SessionCommand {
    return this.command(name).description(description);
  }

  addOnAcquirer(name: string, description: string): SessionCommand {
    return this.add(name, description).addArgument(acquirer());
  }

  /** Sets the work of the command, which also gets its arguments and options. */
  runs<A extends unknown[]>(work: (session: Session, ...args: A) => Promise<void>): this {
    return this.action(async (...args) =>
      work(openSession(this.optsWithGlobals<Options>(), this.#host), ...(args as unknown as A)),
    );
  }

  /** Sets the work of a command on an acquirer, which its option `--acquirer` or else its first argument names. */
  runsOnAcquirer<A extends unknown[]>(work: (session: Session, acquirer: Keyring, ...args: A) => Promise<void>): this {
    return this.runs(async (session, ...args: unknown[]) => {
      const { acquirer = args.shift() as string } = this.opts<{ acquirer?: string }>();
      await work(session, await acquirerNamed(acquirer), ...(args as A));
    });
  }
}

export type Group = (program: SessionCommand) => void;
