import { expect, test } from '@jest/globals';
import { deep } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, newDistributorOf, unique } from '../../support/world.ts';
import { succeed } from './bounds.ts';

/* Histories of a terminal that moved between distributors many times. */

const MOVES = deep ? 1_000 : 6;
/** Changes between two moves. */
const BETWEEN = 4;

/** All events of a terminal's history, the oldest first, and the most table requests of a page. */
async function historyOf({ key }: Caller, id: string, limit: number) {
  const events: [type: string, request_id: string][] = [];
  let most = 0;
  // Caches the API key.
  await succeed('listBranches', { key });
  for (let before: string | null | undefined; before !== null; ) {
    const query = { limit: String(limit), ...(before && { before }) };
    const { response, requests } = await tableRequestsBy(() =>
      succeed('getTerminalHistory', { key, path: { id }, query }),
    );
    const { data, meta } = response.body;
    events.push(...data.map(({ type, request_id }: { type: string; request_id: string }) => [type, request_id]));
    most = Math.max(most, requests.length);
    before = meta.next;
  }
  return { events: events.reverse(), most };
}

/**
 * The most table requests of a page: the terminal, its events, the next event after the cursor, those that created it,
 * and what happened to the branch during each of 5 stays.
 */
const MOST_REQUESTS = 9;

test(`a history takes at most ${MOST_REQUESTS} table requests a page after ${MOVES} moves`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const newPlace = async () => {
    const distributor = await newDistributorOf(provider);
    const { mid } = await newBranch(provider, { distributor: distributor.id });
    return { distributor, mid: mid as string, expected: [] as [type: string, request_id: string][] };
  };
  const [home, away] = [await newPlace(), await newPlace()];
  /** Changes the terminal and returns the request's id. */
  const change = async (...[operation, request]: Parameters<typeof succeed>) =>
    (await succeed(operation, { key, ...request })).headers['x-request-id'] as string;

  const terminals = [{ terminal_id: unique('T') }];
  const created = await succeed('createTerminals', { key, path: { id: home.mid }, body: { terminals } });
  const path = { id: created.body.data[0].tid };
  home.expected.push(['terminals.created', created.headers['x-request-id'] as string]);
  let [from, to] = [home, away];
  for (let move = 1; move <= MOVES; move += 1) {
    for (let number = 1; number <= BETWEEN; number += 1) {
      const body = { terminal_model: `Model ${move}.${number}` };
      from.expected.push(['terminal.updated', await change('updateTerminal', { path, body })]);
    }
    const moved = await change('reassignTerminal', { path, body: { mid: to.mid } });
    from.expected.push(['terminal.left', moved]);
    to.expected.push(['terminal.joined', moved]);
    [from, to] = [to, from];
  }
  for (const { distributor, expected } of [home, away])
    for (const limit of [deep ? 10 : 1, 100]) {
      const { events, most } = await historyOf(distributor, path.id, limit);
      expect(events).toEqual(expected);
      expect(most).toBeLessThanOrEqual(MOST_REQUESTS);
    }
  await expectNoViolations();
});
