import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Schema } from '../../infra/publish/contract/schemas.ts';
import { CONTRACT } from '../support/contract.ts';
import { parseGuide, wholeObjects } from './guide.ts';

/*
 * test/docs/guides.slow.test.ts runs the guides. This finds sooner that a guide shows a resource without a field that
 * it has.
 */

/** The schema of a branch or terminal that a guide shows, by the fields that tell which it is. */
function schemaOf(shown: object): string {
  if ('branch' in shown) return 'TerminalWithBranch';
  if ('tid' in shown) return 'Terminal';
  if ('terminals' in shown) return 'CreatedBranch';
  return 'terminal_count' in shown ? 'Branch' : 'ListedBranch';
}

const SHOWN = globSync('docs/guides/*.md').flatMap((file) =>
  parseGuide(file, readFileSync(file, 'utf8'))
    .steps.flatMap(wholeObjects)
    .filter((shown) => 'created_at' in shown)
    .map((shown) => [file, schemaOf(shown), Object.keys(shown)] as const),
);

test.each(SHOWN)('%s shows a %s with all fields', (_, schema, fields) => {
  const { properties = {} } = CONTRACT.components.schemas[schema] as Schema;
  expect(fields).toEqual(Object.keys(properties));
});
