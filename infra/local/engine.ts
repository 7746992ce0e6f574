import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unusable } from '../operate/shutdown.ts';

export { Unusable };

/** A running DynamoDB Local. `stop` ends its Java process and waits until it has exited. */
export interface Engine {
  endpoint: string;
  stop: () => Promise<void>;
}

const STARTUP_MS = 30_000;

/** Most runs are too short for the JVM's C2 compiler, a parallel garbage collector, or to verify a pinned package's classes. */
const SHORT_RUNS =
  '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ' +
  '-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote';

/** Exit code of engineProcess.ts if there is no Java runtime. */
export const NO_JAVA = 127;

/**
 * Returns a free port of this machine, below those that systems give to outgoing connections (RFC 6335 §6): one of these
 * would be taken by any process before the caller listens.
 */
export const freePort = (): Promise<number> => checkPort(randomInt(10_000, 32_768)).catch(freePort);

/**
 * Checks that a port can be listened on. Resolves to the port.
 *
 * @param option How to choose another one.
 * @throws Unusable if the port is taken or not permitted.
 */
export const checkPort = (port: number, option = 'PORT=<number>'): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(new Unusable(`Port ${port} cannot be used (${error.code}). Choose another with ${option}.`)),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => done(port)));
  });

/**
 * Starts DynamoDB Local from its pinned package, in memory or with its data in a folder. Each access key id has a database
 * of its own, whose requests it runs one after another.
 *
 * @throws Unusable if there is no Java runtime, or if the engine does not start within 30 s.
 */
export async function startEngine(dataFolder?: string): Promise<Engine> {
  if (dataFolder) mkdirSync(dataFolder, { recursive: true });
  const port = await freePort();
  // A reader of this process's output must not have to wait for Java to exit, so Java inherits no pipe.
  const java = fork(
    new URL('engineProcess.ts', import.meta.url),
    [String(port), ...(dataFolder ? [resolve(dataFolder)] : [])],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { JAVA_TOOL_OPTIONS: SHORT_RUNS, ...process.env, DDB_LOCAL_TELEMETRY: '0' },
    },
  );
  const ended = new Promise((done) => java.once('exit', done));
  const stop = async () => {
    if (java.connected) java.disconnect();
    await ended;
  };

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + STARTUP_MS;
  while (!(await isUp(endpoint))) {
    const { exitCode } = java;
    if (exitCode === NO_JAVA)
      throw new Unusable('No Java runtime found. Install Java 17 or later, so that "java -version" works.');
    if (exitCode !== null)
      throw new Unusable(`DynamoDB Local exited with code ${exitCode}. It needs Java 17 or later.`);
    if (Date.now() > deadline) {
      await stop();
      throw new Unusable(`DynamoDB Local did not respond within ${STARTUP_MS / 1000} s.`);
    }
    await sleep(50);
  }
  return { endpoint, stop };
}

/** Whether the engine responds. The status does not matter: it refuses a bare GET. */
const isUp = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
