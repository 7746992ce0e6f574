import { mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { type Functions, startFunctions } from '../../../infra/local/functions.ts';
import type { Received } from '../../../infra/local/gateway.ts';
import { ownFolder } from '../../support/scripts.ts';

/*
 * The process of the functions, with a script in place of functionsProcess.ts: a request's URL says what it does. What
 * the real one does is in start.slow.test.ts.
 */

const root = ownFolder();
const file = join(root, 'functions/a.ts');
for (const folder of ['functions', 'lib/b']) mkdirSync(join(root, folder), { recursive: true });

/** Code that returns a text. */
const code = (text: string) => `export default () => '${text}';`;
writeFileSync(file, code('one'));
const script = join(root, 'process.ts');
writeFileSync(
  script,
  `const loaded = import('./functions/a.ts').catch((error) => ({ default: () => error.name }));
process.once('disconnect', () => process.exit());
process.on('message', async ({ id, request }) => {
  console.log(request.url);
  if (request.url === '/dies') process.exit(1);
  const { default: text } = await loaded;
  if (request.url === '/waits') await new Promise((done) => process.on('SIGUSR2', done));
  process.send({ id, result: { body: text(), headers: { pid: process.pid } } });
});
`,
);
const log = join(root, 'log');
const functions: Functions = startFunctions({ script, root, watched: ['functions', 'lib'], log: openSync(log, 'w') });
afterAll(() => functions.stop());

const respond = (url: string) => functions.respond({ url } as Received);
const textOf = async () => (await respond('/')).body;
const pidOf = async () => (await respond('/')).headers?.['pid'] as number;

/** Resolves once requests are served by another process. */
async function replaced(pid: number): Promise<void> {
  while ((await pidOf()) === pid) await sleep(10);
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

// In this order.
test.each<[what: string, ...changes: (() => void)[]]>([
  ['written', () => writeFileSync(file, code('two'))],
  ['replaced', () => writeFileSync(`${file}~`, code('three')), () => renameSync(`${file}~`, file)],
  ['written after it was replaced', () => writeFileSync(file, code('four'))],
  ['written in a folder below', () => writeFileSync(join(root, 'lib/b/b.ts'), '')],
  ['written in a new folder', () => mkdirSync(join(root, 'lib/c')), () => writeFileSync(join(root, 'lib/c/c.ts'), '')],
  ['removed', () => rmSync(join(root, 'lib/c/c.ts'))],
])('a process with new code responds when a file is %s', async (_, ...changes) => {
  for (const change of changes) {
    const pid = await pidOf();
    change();
    await replaced(pid);
    while (isRunning(pid)) await sleep(10);
  }
  expect(await textOf()).toBe(/'(.*)'/.exec(readFileSync(file, 'utf8'))?.[1]);
});

test('a request under way is responded to by the code that began it, which ends then', async () => {
  const before = await textOf();
  const pid = await pidOf();
  const waiting = respond('/waits');
  while (!readFileSync(log, 'utf8').includes('/waits')) await sleep(10);
  writeFileSync(file, code('changed meanwhile'));
  await replaced(pid);
  expect(await textOf()).toBe('changed meanwhile');
  process.kill(pid, 'SIGUSR2');
  expect((await waiting).body).toBe(before);
  while (isRunning(pid)) await sleep(10);
});

test('code that does not load is mended by the next change', async () => {
  const pid = await pidOf();
  writeFileSync(file, 'export default (');
  await replaced(pid);
  expect(await textOf()).toBe('SyntaxError');
  const broken = await pidOf();
  writeFileSync(file, code('mended'));
  await replaced(broken);
  expect(await textOf()).toBe('mended');
});

test('a process that ends has failed its requests with 500, and the next request starts another', async () => {
  const [died, other] = [respond('/dies'), respond('/waits')];
  for (const each of await Promise.all([died, other]))
    expect(each).toMatchObject({ statusCode: 500, body: '{"message":"Internal Server Error"}' });
  expect(await textOf()).toBe('mended');
});
