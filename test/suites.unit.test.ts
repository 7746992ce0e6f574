import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** The test files of each suite in a folder, by the glob pattern that it passes to `together`. */
const filesOf = (suites: string): string[] =>
  globSync(suites).flatMap((suite) => {
    const [, paths] = /together\('(.+)'\)/.exec(readFileSync(suite, 'utf8')) ?? [];
    return globSync(`test/${paths}`, { exclude: ['**/*.{unit,alone}.test.ts'] });
  });

test.each([
  ['test/suites/*.ts', 'test/{*,functions/**/*,lib/**/*}.test.ts'],
  [
    'test/suites/proofs/*.ts',
    'test/{infra/operate/cli/**/*,proofs/{consoleImport,hostile,leaks,roles,search,tenants,validation}/*}.test.ts',
  ],
  ['test/suites/console/*.ts', 'test/browser/console/*.test.ts'],
])('each file is in one suite of %s', (suites, files) => {
  const all = globSync(files, { exclude: ['**/*.{unit,alone}.test.ts'] });
  expect(all.length).toBeGreaterThan(10);
  expect(filesOf(suites).sort()).toEqual(all.sort());
});
