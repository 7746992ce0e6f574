import { beforeAll, expect, test } from '@jest/globals';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { type ApiResponse, call, type Operation } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import '../../support/patient.ts';
import { storedBy } from '../../support/stored.ts';
import { checkEach } from '../../support/walk.ts';
import { archiveBranch, type Caller, newSharedBranch, newWorld, unique, type World } from '../../support/world.ts';

/*
 * Both acquirers of a branch have the same ETag of it and of its terminal. One changes something between the reads and the
 * write of the other, who changes nothing then: it gets 412, or 404 if what it changes was deleted.
 */

let world: World;
let target: string;
beforeAll(async () => {
  world = await newWorld();
  ({ mid: target } = await newSharedBranch(world));
});

/** The bodies of the operations, each with a value that changes something. */
const EDITS = {
  updateBranch: () => ({ city: unique('City') }),
  archiveBranch: () => undefined,
  updateTerminal: () => ({ serial_no: unique('S') }),
  archiveTerminal: () => ({ reason: unique('Reason') }),
  reassignTerminal: () => ({ mid: target }),
  deleteTerminal: () => undefined,
  restoreBranch: () => undefined,
  restoreTerminal: () => undefined,
} satisfies Partial<Record<Operation, () => object | undefined>>;
type Edit = keyof typeof EDITS;
const NAMES = Object.keys(EDITS) as Edit[];
const isOfBranch = (edit: Edit): boolean => edit.endsWith('Branch');
const isRestore = (edit: Edit): boolean => edit.startsWith('restore');

/** The outcome of the later edit. */
function outcomeAfter(first: Edit, second: Edit): string {
  if (first === 'deleteTerminal' && !isOfBranch(second)) return 'not_found';
  // The ETag of a branch does not change with these, and that of a terminal not with the names of its branch.
  const changesBoth = !/^(update|archive|restore)Terminal$|^updateBranch$/.test(first);
  return isOfBranch(first) === isOfBranch(second) || changesBoth ? 'precondition_failed' : 'success';
}

/** Pairs of edits that are possible in the same state. */
const PAIRS = NAMES.flatMap((first) =>
  NAMES.filter((second) => isRestore(first) === isRestore(second)).map(
    (second) => [`${second} before whose write comes ${first}`, [first, second]] as const,
  ),
);

test('of two edits with the same ETag, only the first succeeds, unless they change different things', async () => {
  await checkEach<readonly [Edit, Edit]>(PAIRS, async ([first, second]) => {
    const { mid, terminals, ...branch } = await newSharedBranch(world, { terminals: [{ terminal_id: unique('T') }] });
    const archived = isRestore(first) && (await archiveBranch(world.provider, mid));
    // That of the terminal is the same: both were created, or archived, at once.
    const tag = archived ? `"${archived.updated_at}/${archived.archived_at}"` : `"${branch.updated_at}"`;
    const edit = ({ key }: Caller, operation: Edit): Promise<ApiResponse> =>
      call(operation, {
        key,
        path: isOfBranch(operation) ? { mid } : { id: terminals[0].tid },
        body: EDITS[operation](),
        headers: { 'if-match': tag },
      });
    let winner: ApiResponse | undefined;
    beforeNextWrite(async () => {
      winner = await edit(world.distributor, first);
    });
    const { response, events = {} } = await storedBy(() => edit(world.provider, second));
    const expected = outcomeAfter(first, second);
    expect([winner?.status, response.body.code ?? 'success']).toEqual([200, expected]);
    const ids = [winner, response].filter((each) => each?.status === 200).map((each) => each?.headers['x-request-id']);
    expect(events[world.provider.id]?.map(({ request_id }) => request_id).sort()).toEqual(ids.sort());
    // What the second editor reads next is the first one's state.
    if (expected === 'precondition_failed' && isOfBranch(first) === isOfBranch(second))
      expect(response.headers['etag']).toBe(winner?.headers['etag']);
  });
  await expectNoViolations();
});
