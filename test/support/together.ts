import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe } from '@jest/globals';
// Hooks of helpers belong to all files, not to the first one that imports them.
import '../lib/table/intercept.ts';
import { useOwnTable } from './table.ts';

const load = createRequire(import.meta.url);

/**
 * Runs test files in one process, as an instance runs requests: what they import is loaded and compiled once. Each has
 * a table of its own.
 *
 * @param paths A glob pattern below test/.
 */
export function together(paths: string): void {
  for (const file of globSync(`test/${paths}`, { exclude: ['**/*.{unit,alone}.test.ts'] }).sort())
    describe(file, () => {
      useOwnTable();
      load(`../../${file}`);
    });
}
