import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Case, cases } from './cases.ts';
import { usageOf } from './costs.ts';
import '../../infra/local/patient.ts';
import { newBranchList } from './lists.ts';
import { pagesOf } from './pages.ts';
import { searchesOf } from './searches.ts';
import { walkOf } from './walk.ts';

/*
 * The table usage of pages, searches and every operation. If one changes and that is meant, change it here, and in the
 * documents that quote it. docs/operations.md says what they cost.
 *
 * Write units are counted from the items before and after, because DynamoDB Local understates those of transactions.
 */

test('a page of 10 of 1,000 branches takes 2.5 read units at any depth, the first in one round trip', async () => {
  expect(await pagesOf(await newBranchList(1_000))).toEqual(
    ['asc', 'desc'].flatMap((sort) =>
      [1, 50, 100].map((page) => ({
        ...{ sort, page, 'read units': 2.5, requests: 2, 'in sequence': page === 1 ? 1 : 2 },
      })),
    ),
  );
});

test('a walk of 100 branches with 250 terminals takes two pages, of 163 read units together', async () => {
  expect(await walkOf(await newBranchList(1_000, 'WALKS'))).toEqual([
    { rows: 100, 'read units': 6, 'in sequence': 2 },
    { rows: 250, 'read units': 157, 'in sequence': 11 },
  ]);
});

test('searches among 1,000 branches take what their rarest word takes, in at most 4 requests in sequence', async () => {
  const rows = (await searchesOf(1_000)).map((row) => Object.values(row));
  expect(rows).toEqual([
    // Read units of a page of 10 and of 100, requests, in sequence.
    ['one', 10, 10, 11, 3],
    ['hundred', 14.5, 59.5, 11, 3],
    ['thousand', 48, 93, 12, 4],
    ['porto', 48, 93, 12, 4],
    ['cafe hundred', 15.5, 60.5, 12, 3],
    ['harbour cafe porto docks hundred', 19.5, 64.5, 16, 3],
    ['harbour cafe porto docks thousand', 61, 106, 21, 4],
    ['harbour cafe porto docks fish', 61, 106, 21, 4],
  ]);
});

/** Requests, in sequence, in sequence with a new key, read units, write units. */
type Counts = [number, number, number, number, number];

const COSTS: [name: string, ...Counts][] = [
  ['listBranches', 12, 3, 4, 11, 0],
  ['createBranch', 2, 2, 3, 8, 63],
  ['getBranch', 1, 1, 2, 1, 0],
  ['updateBranch', 2, 2, 3, 1, 50],
  ['getBranchHistory', 2, 2, 3, 1.5, 0],
  ['archiveBranch', 2, 2, 3, 1, 12],
  ['restoreBranch', 2, 2, 3, 1, 12],
  ['listAllTerminals', 2, 2, 3, 2, 0],
  ['listTerminals', 2, 2, 3, 1.5, 0],
  ['createTerminals', 2, 2, 3, 5, 17],
  ['updateTerminal', 3, 3, 4, 5, 17],
  ['deleteTerminal', 3, 3, 4, 2, 21],
  ['archiveTerminal', 3, 3, 4, 2, 13],
  ['restoreTerminal', 3, 3, 4, 2, 13],
  ['reassignTerminal', 3, 3, 4, 3, 28],
  ['getTerminalHistory', 3, 2, 3, 2, 0],
  ['lookup', 0, 0, 2, 0, 0],
  ['find', 4, 3, 4, 4, 0],
  ['listEvents', 1, 1, 2, 1, 0],
  ['memberCheck', 3, 2, 3, 3.5, 0],
  ['unknownRoute', 1, 1, 2, 0, 2],
  ['listBranches, 10 of 25', 2, 1, 2, 1.5, 0],
  ['listBranches, that ranks 25 branches', 3, 2, 3, 2.5, 154],
  ['createBranch, a provider alone', 2, 2, 3, 2, 30],
  ['createBranch, a distributor, with 2 terminals', 2, 2, 3, 6, 62],
  ['createBranch, with an Idempotency-Key', 2, 2, 3, 8, 65],
  ['createBranch, validated only', 1, 1, 2, 2, 0],
  ['createBranch, wrong body', 1, 1, 2, 0, 2],
  ['createBranch, MID taken', 2, 2, 3, 8, 2],
  ['createTerminals, 40 with serials and an Idempotency-Key', 2, 2, 3, 83, 230],
  ['createTerminals, the same once more', 2, 2, 3, 7, 0],
  // With a new key, the process has not cached the partnership either.
  ['updateTerminal, a distributor', 3, 3, 5, 5, 17],
  ['reassignTerminal, the same once more', 3, 3, 4, 5, 0],
  ['listEvents, 100', 1, 1, 2, 14, 0],
  ['listEvents, nothing new', 1, 1, 2, 1, 0],
  ['getTerminalHistory, 20', 3, 2, 3, 3, 0],
];

describe('requests, those in sequence and units of', () => {
  let all: Case[];
  beforeAll(async () => {
    all = await cases();
  });

  test.each(COSTS)('%s', async (name, ...counts) => {
    const found = all.find((each) => each.name === name) as Case;
    expect(Object.values(await usageOf(found))).toEqual(counts);
  });
});
