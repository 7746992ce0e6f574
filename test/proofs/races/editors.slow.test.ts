import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { runs } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { archiveBranch, newSharedBranch, newTerminal, newWorld, unique, type World } from '../../support/world.ts';

/*
 * Two editors have the same ETag of a branch or terminal, and change it at once. Exactly one succeeds, and the other one
 * changes nothing: it gets 412, or 404 if what it changes was deleted.
 */

/** Rounds per operation, and per pair of operations. In each, two requests are sent at once. */
const ROUNDS = runs(5, 40);
const PAIR_ROUNDS = runs(3);

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** A branch with a terminal, and a branch to which the terminal can be moved. */
interface Place {
  mid: string;
  tid: string;
  target: string;
}

/** The operations, each with its body. Bodies differ, so that each edit changes something. */
const EDITS = {
  updateBranch: () => ({ city: unique('City') }),
  archiveBranch: undefined,
  restoreBranch: undefined,
  updateTerminal: () => ({ serial_no: unique('S') }),
  archiveTerminal: () => ({ reason: unique('Reason') }),
  restoreTerminal: undefined,
  reassignTerminal: ({ target }: Place) => ({ mid: target }),
  deleteTerminal: undefined,
} satisfies Partial<Record<Operation, ((place: Place) => object) | undefined>>;
type Edit = keyof typeof EDITS;

const isOfBranch = (edit: Edit): boolean => edit.endsWith('Branch');
const tagIn = ({ headers }: ApiResponse): string => headers['etag'] as string;
/** The ETag of what was just created. */
const tagOf = ({ updated_at }: { updated_at: string }): string => `"${updated_at}"`;
const idOf = ({ headers }: ApiResponse) => headers['x-request-id'] as string;

/** Makes both edits at once, each by another acquirer of the branch, and each with an ETag. */
async function race(edits: [Edit, Edit], place: Place, tags: [string, string]): Promise<[ApiResponse, ApiResponse]> {
  const sent = await Promise.all(
    edits.map((edit, at) => {
      const path: Request['path'] = isOfBranch(edit) ? { mid: place.mid } : { id: place.tid };
      const { key } = at === 0 ? world.provider : world.distributor;
      const headers = { 'if-match': tags[at] as string };
      return tableRequestsBy(() => call(edit, { key, path, body: EDITS[edit]?.(place), headers }));
    }),
  );
  races += 1;
  if (sent.every((each) => operationsOf(each).includes('TransactWriteItems'))) decidedInWrite += 1;
  return sent.map(({ response }) => response) as [ApiResponse, ApiResponse];
}

/** How many races there were, and in how many both sent their write, so that only its condition could decide. */
let races = 0;
let decidedInWrite = 0;

/** The outcomes of a race: `success` or the code of the problem. */
const outcomeOf = (responses: ApiResponse[]): string =>
  responses.map(({ status, body }) => (status === 200 ? 'success' : body.code)).join();

/** The ids of the requests that changed branches or their terminals. */
async function changesOf(...mids: string[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const mid of mids)
    for (let before: string | null | undefined; before !== null; ) {
      const query = { limit: '100', ...(before && { before }) };
      const { body } = await call('getBranchHistory', { key: world.provider.key, path: { mid }, query });
      for (const { request_id } of body.data) ids.add(request_id);
      before = body.meta.next;
    }
  return ids;
}

const LOST = 'precondition_failed';

/** Edits that are made in turn, so that each is possible again. */
const TURNS: Edit[][] = [
  ['updateBranch'],
  ['archiveBranch', 'restoreBranch'],
  ['updateTerminal'],
  ['archiveTerminal', 'restoreTerminal'],
  ['reassignTerminal'],
  ['deleteTerminal'],
];
test.each(TURNS.map((turns) => [turns.join(' and '), turns] as const))(
  `${ROUNDS} times each, of two editors with the same ETag exactly one succeeds: %s`,
  async (_, turns) => {
    const [first, second] = [(await newSharedBranch(world)).mid, (await newSharedBranch(world)).mid];
    let [mid, target] = [first, second];
    let terminal = await newTerminal(world.provider, mid);
    const { body } = await call('getBranch', { key: world.provider.key, path: { mid } });
    let tag = tagOf(isOfBranch(turns[0] as Edit) ? body.data : terminal);
    const ids = await changesOf(first, second);
    for (let round = 0; round < ROUNDS * turns.length; round += 1) {
      const edit = turns[round % turns.length] as Edit;
      const responses = await race([edit, edit], { mid, target, tid: terminal.tid }, [tag, tag]);
      const isDelete = edit === 'deleteTerminal';
      const lost = isDelete ? 'not_found' : LOST;
      expect([`success,${lost}`, `${lost},success`]).toContain(outcomeOf(responses));
      const [won, other] = responses.toSorted((a, b) => a.status - b.status) as [ApiResponse, ApiResponse];
      ids.add(idOf(won));
      expect(tagIn(other)).toBe(tagIn(won));
      // The next round succeeds only if the state is that of the winner.
      tag = tagIn(won);
      if (edit === 'reassignTerminal') [mid, target] = [target, mid];
      if (!isDelete) continue;
      const created = { terminals: [{ terminal_id: terminal.terminal_id }] };
      const again = await call('createTerminals', { key: world.provider.key, path: { id: mid }, body: created });
      ids.add(idOf(again));
      [terminal] = again.body.data;
      tag = tagOf(terminal);
    }
    expect(await changesOf(first, second)).toEqual(ids);
  },
);

describe(`${PAIR_ROUNDS} times each, two editors have the result of one of the two orders:`, () => {
  const PAIRS: [Edit, Edit, first: string, second: string][] = [
    ['updateBranch', 'archiveBranch', `success,${LOST}`, `${LOST},success`],
    ['updateTerminal', 'archiveTerminal', `success,${LOST}`, `${LOST},success`],
    ['updateTerminal', 'reassignTerminal', `success,${LOST}`, `${LOST},success`],
    ['updateTerminal', 'deleteTerminal', `success,${LOST}`, 'not_found,success'],
    // These change the branch too.
    ['reassignTerminal', 'archiveBranch', `success,${LOST}`, `${LOST},success`],
    ['deleteTerminal', 'archiveBranch', `success,${LOST}`, `${LOST},success`],
    // These do not, so the second editor succeeds in either order.
    ['updateTerminal', 'archiveBranch', 'success,success', `${LOST},success`],
    ['archiveTerminal', 'archiveBranch', 'success,success', `${LOST},success`],
    ['restoreTerminal', 'restoreBranch', 'success,success', `${LOST},success`],
  ];
  test.each(PAIRS)('%s and %s', async (one, other, ...possible) => {
    const { mid: target } = await newSharedBranch(world);
    for (let round = 0; round < PAIR_ROUNDS; round += 1) {
      const { mid, terminals, ...branch } = await newSharedBranch(world, { terminals: [{ terminal_id: unique('T') }] });
      const place = { mid, target, tid: terminals[0].tid };
      let tag = tagOf(branch);
      if (other === 'restoreBranch') {
        const { updated_at, archived_at } = await archiveBranch(world.provider, mid);
        tag = `"${updated_at}/${archived_at}"`;
      }
      const before = await changesOf(mid, target);

      // The ETag of the terminal is the same: both were created, or archived, at once.
      const isReversed = round % 2 === 1;
      const responses = await race(isReversed ? [other, one] : [one, other], place, [tag, tag]);

      expect(possible).toContain(outcomeOf(isReversed ? responses.toReversed() : responses));
      const ids = responses.filter(({ status }) => status === 200).map(idOf);
      expect(await changesOf(mid, target)).toEqual(new Set([...before, ...ids]));
    }
  });
});

test('in most races, both editors sent a write, and one of them was refused', () => {
  expect(decidedInWrite).toBeGreaterThan(races / 2);
});

test('all of these leave no invariant violation in the table', expectNoViolations);
