import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { createTable } from '../../infra/local/table.ts';
import { actAs } from '../../lib/record/operator.ts';
import { expectNoOtherWrites, forget } from './stored.ts';

/** Gives the tests of a file, or of a `describe`, a table of their own. */
export function useOwnTable(): void {
  const name = `test-${randomUUID()}`;
  const use = () => {
    // The author of what tests prepare without the operator's tool.
    actAs(async () => 'test');
    if (process.env['TABLE_NAME'] === name) return;
    process.env['TABLE_NAME'] = name;
    forget();
  };
  // For what a file reads or writes when it is loaded.
  use();
  beforeAll(async () => {
    use();
    await createTable(name);
  });
  afterAll(expectNoOtherWrites);
}
