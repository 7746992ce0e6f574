import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import Offline from '../../../infra/local/offline.ts';
import { ownFolder } from '../../support/scripts.ts';

const serviceDir = ownFolder();
const file = join(serviceDir, 'functions/a.ts');
const definition = { handler: 'functions/a.handler' };
let updated: PromiseWithResolvers<string>;

beforeAll(() => {
  for (const folder of ['functions', 'lib/b']) mkdirSync(join(serviceDir, folder), { recursive: true });
  writeFileSync(file, 'one');
  const pluginManager = { spawn: async (entrypoint: string) => updated.resolve(entrypoint) };
  new Offline({ serviceDir, service: { functions: { a: definition } }, pluginManager }).hooks[
    'before:offline:start:init'
  ]?.();
});

// In this order.
test.each<[what: string, ...changes: (() => void)[]]>([
  ['written', () => writeFileSync(file, 'two')],
  ['replaced', () => writeFileSync(`${file}~`, 'three'), () => renameSync(`${file}~`, file)],
  ['written after it was replaced', () => writeFileSync(file, 'four')],
  ['written in a folder below', () => writeFileSync(join(serviceDir, 'lib/b/b.ts'), '')],
  [
    'written in a new folder',
    () => mkdirSync(join(serviceDir, 'lib/c')),
    () => writeFileSync(join(serviceDir, 'lib/c/c.ts'), ''),
  ],
  ['removed', () => rmSync(file)],
])('ends the functions when a file is %s', async (_, ...changes) => {
  for (const change of changes) {
    updated = Promise.withResolvers();
    change();
    expect(await updated.promise).toBe('offline:functionsUpdated');
  }
});
