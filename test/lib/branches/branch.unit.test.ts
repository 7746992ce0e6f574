import { expect, test } from '@jest/globals';
import { INDEX_DEFINITIONS } from '../../../infra/stack/template/definitions.ts';
import { listedBranch } from '../../../lib/branches/branch.ts';

interface Index {
  IndexName: string;
  Projection?: { NonKeyAttributes?: string[] };
}

test.each(['branches-by-provider', 'branches-by-distributor'])('%s projects everything that a list shows', (name) => {
  const index: Index | undefined = INDEX_DEFINITIONS.find(({ IndexName }) => IndexName === name);
  // The status is computed from `archived_at`.
  const shown = Object.keys(listedBranch.entries).filter((field) => field !== 'status');
  expect(index?.Projection?.NonKeyAttributes).toEqual(expect.arrayContaining(shown));
});
