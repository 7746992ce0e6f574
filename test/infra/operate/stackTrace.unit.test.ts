import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { inSource } from '../../../infra/operate/stackTrace.ts';
import { ownFolder } from '../../support/scripts.ts';

/*
 * Stacks of a small bundle. test/packaged/artifacts.slow.test.ts has one of a packaged function.
 */

const packaged = ownFolder();
const BUNDLE = '/var/task/functions/lookup/lookup.mjs';
/** Where the bundle throws: its column in the only line. */
let column: number;
beforeAll(() => {
  const source = join(packaged, 'source.ts');
  writeFileSync(source, "export function lookup(): never {\n  throw new Error('lookup');\n}\n");
  const { outputFiles } = buildSync({
    entryPoints: [source],
    outdir: packaged,
    write: false,
    minify: true,
    sourcemap: 'external',
  });
  const [map, bundle] = outputFiles.map(({ text }) => text) as [string, string];
  column = bundle.indexOf('new Error') + 1;
  mkdirSync(join(packaged, 'source-maps/functions/lookup'), { recursive: true });
  writeFileSync(join(packaged, 'source-maps/functions/lookup/lookup.mjs.map'), map);
});

test.each([
  ['a stack', (at: string) => `Error: lookup\n    at a (file://${at})\n    at async ${at}`, '\n'],
  [
    'a line of the log',
    (at: string) => `{"stack":"Error: lookup\\n    at a (file://${at})\\n    at async ${at}"}`,
    '"}',
  ],
])('%s has the files and lines of the source', (_, logged, end) => {
  expect(`${inSource(logged(`${BUNDLE}:1:${column}`), packaged)}\n`).toContain(
    `Error: lookup\n    at a (source.ts:2:9)\n    at async source.ts:2:9${end}`,
  );
});

test.each([
  [
    'a text without a place',
    'Error: lookup',
    packaged,
    'There is no place in a bundle, such as "createBranch.mjs:1:48213".',
  ],
  ['a folder without maps', `${BUNDLE}:1:1`, 'infra', 'There is no infra/source-maps/functions/lookup/lookup.mjs.map.'],
  [
    'a place that its map lacks',
    `${BUNDLE}:0:1`,
    packaged,
    'lookup.mjs.map has no line 0, column 1: it is of another package.',
  ],
])('%s is refused', (_, logged, folder, message) => {
  expect(() => inSource(logged, folder)).toThrow(message);
});
