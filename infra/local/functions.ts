import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, watch } from 'node:fs';
import { join } from 'node:path';
import { FAILED, type Received, type Result } from './gateway.ts';

/** A message to a process that runs functions, and its reply with the same `id`. */
export interface Asked {
  id: number;
  request: Received;
}
export interface Replied {
  id: number;
  result: Result;
}

/** What runs the functions. */
export interface Functions {
  /** Responds to a request. If the process ends before that, the function has failed, and the next request starts another. */
  respond: (request: Received) => Promise<Result>;
  stop: () => Promise<void>;
}

interface Options {
  /** The script of the process: functionsProcess.ts, but for tests. */
  script: string;
  /** The folder in which `watched` is. */
  root: string;
  /** The folders with code. */
  watched: string[];
  /** The open file to which functions log. Errors of code that does not load go to stderr. */
  log: number | 'ignore';
}

/**
 * Runs all functions in a process of their own. After code has changed, the next requests go to a new process, because a
 * process cannot unload modules. The old one ends once it has responded to its requests.
 */
export function startFunctions({ script, root, watched, log }: Options): Functions {
  const start = () => new Runner(fork(script, { serialization: 'advanced', stdio: ['ignore', log, 'inherit', 'ipc'] }));
  const retired: Runner[] = [];
  let current = start();
  const replace = () => {
    retired.push(current);
    current.retire();
    current = start();
  };
  const unwatch = watchCode(root, watched, replace);
  return {
    respond(request) {
      if (!current.isRunning) current = start();
      return current.respond(request);
    },
    async stop() {
      unwatch();
      for (const each of [...retired, current]) await each.stop();
    },
  };
}

/** One process, and the requests that it has not responded to. */
class Runner {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #open = new Map<number, (result: Result) => void>();
  #requests = 0;
  #isRetired = false;
  isRunning = true;

  constructor(child: ChildProcess) {
    this.#process = child;
    child.on('message', ({ id, result }: Replied) => {
      this.#open.get(id)?.(result);
      this.#open.delete(id);
      this.#endIfIdle();
    });
    this.#ended = once(child, 'exit').then(() => {
      this.isRunning = false;
      for (const resolve of this.#open.values()) resolve(FAILED);
    });
  }

  respond(request: Received): Promise<Result> {
    const id = this.#requests++;
    // A process that ends has failed its requests, also those that do not reach it.
    this.#process.send({ id, request } satisfies Asked, () => {});
    return new Promise((resolve) => this.#open.set(id, resolve));
  }

  /** Ends the process once it has responded to all its requests. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#isRetired && this.#open.size === 0) this.#process.kill();
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await this.#ended;
  }
}

/** How long nothing must change, so that no process loads half of a change. In milliseconds. */
const SETTLED_MS = 100;

/**
 * Calls back after code has changed. Watches each folder, because Node.js on Linux loses sight of a replaced file when it
 * watches recursively, and looks for new folders after each change.
 *
 * @returns What ends it.
 */
function watchCode(root: string, folders: string[], changed: () => void): () => void {
  let settled: NodeJS.Timeout | undefined;
  const look = () =>
    globSync(
      folders.map((folder) => `${folder}/**/`),
      { cwd: root },
    ).map((folder) =>
      watch(join(root, folder), () => {
        clearTimeout(settled);
        settled = setTimeout(() => {
          const earlier = watchers;
          watchers = look();
          for (const watcher of earlier) watcher.close();
          changed();
        }, SETTLED_MS);
      }),
    );
  let watchers = look();
  return () => {
    clearTimeout(settled);
    for (const watcher of watchers) watcher.close();
  };
}
