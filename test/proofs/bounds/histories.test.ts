import { expect, test } from '@jest/globals';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';
import { record, type ShownEvent, sized, succeed, useAwsTable } from './bounds.ts';

/* Histories of terminals that others have changed many times, at times when they were not accessible to the reader. */

const CHANGES = sized(60, 10_000);
const MOVES = sized(6, CHANGES / 10);
/** Changes by others between two moves. */
const BETWEEN = sized(10, 3);

// Without latency, because so many changes would take hours.
const aws = useAwsTable({ read: 0, write: 0, visibility: [0, 0] });

const change = async ({ key }: Caller, operation: Operation, request: Request): Promise<string> =>
  (await succeed(operation, { key, ...request })).headers['x-request-id'] as string;

/** Changes a terminal so many times. */
async function update(caller: Caller, id: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await change(caller, 'updateTerminal', { path: { id }, body: { terminal_model: `Model ${number}` } });
}

/** All events of a terminal's history, the oldest first, and the most table requests of a page. */
async function historyOf({ key }: Caller, id: string, limit: number) {
  const events: ShownEvent[] = [];
  let most = 0;
  // Caches the API key.
  await call('getBranch', { key, path: { mid: '-' } });
  for (let before: string | null | undefined; before !== null; ) {
    const query = { limit: String(limit), ...(before && { before }) };
    const { response, requests } = await tableRequestsBy(() =>
      succeed('getTerminalHistory', { key, path: { id }, query }),
    );
    events.push(...response.body.data);
    most = Math.max(most, requests.length);
    before = response.body.meta.next;
  }
  record('history', { limit, events: events.length, most });
  return { events: events.reverse().map(({ type, request_id }) => [type, request_id]), most };
}

test(`a history takes two table requests although another acquirer changed a terminal with this id ${CHANGES} times`, async () => {
  const [stranger, owner] = [
    await newAcquirer('PAYMENT_PROVIDER', 'Trustcard'),
    await newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
  ];
  const terminal_id = unique('T');
  const { tid } = await newTerminal(stranger, (await newBranch(stranger)).mid, { terminal_id });
  await update(stranger, tid, CHANGES);
  await change(stranger, 'deleteTerminal', { path: { id: tid } });

  const { mid } = await newBranch(owner);
  const created = await change(owner, 'createTerminals', { path: { id: mid }, body: { terminals: [{ terminal_id }] } });
  const updated = await change(owner, 'updateTerminal', { path: { id: tid }, body: { terminal_model: 'Pocket' } });
  await aws().settled();
  for (const limit of [1, 100])
    expect(await historyOf(owner, tid, limit)).toEqual({
      events: [
        ['terminals.created', created],
        ['terminal.updated', updated],
      ],
      most: 2,
    });
  await expectNoViolations();
});

test(`a history takes three table requests a page although a terminal moved between two distributors ${MOVES} times`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const distributors = [
    await newAcquirer('DISTRIBUTOR', 'Northgate'),
    await newAcquirer('DISTRIBUTOR', 'Eastport'),
  ] as const;
  for (const { id } of distributors) await linkPartners(id, provider.id);
  const places = await Promise.all(
    distributors.map(async (distributor) => {
      const { mid } = await newBranch(provider, { distributor: distributor.id });
      return { distributor, mid: mid as string, expected: [] as [type: string, request_id: string][] };
    }),
  );
  type Place = (typeof places)[number];
  const [home, away] = places as [Place, Place];
  const terminal_id = unique('T');
  const created = await succeed('createTerminals', {
    key: provider.key,
    path: { id: home.mid },
    body: { terminals: [{ terminal_id }] },
  });
  const { tid } = created.body.data[0];
  home.expected.push(['terminals.created', created.headers['x-request-id'] as string]);
  let [from, to] = [home, away];
  for (let move = 1; move <= MOVES; move += 1) {
    for (let number = 1; number <= BETWEEN; number += 1) {
      const body = { terminal_model: `Model ${move}.${number}` };
      from.expected.push(['terminal.updated', await change(provider, 'updateTerminal', { path: { id: tid }, body })]);
    }
    const moved = await change(provider, 'reassignTerminal', { path: { id: tid }, body: { mid: to.mid } });
    from.expected.push(['terminal.left', moved]);
    to.expected.push(['terminal.joined', moved]);
    [from, to] = [to, from];
  }
  await aws().settled();
  for (const { distributor, expected } of places)
    for (const limit of [sized(1, 10), 100]) {
      const { events, most } = await historyOf(distributor, tid, limit);
      expect(events).toEqual(expected);
      expect(most).toBeLessThanOrEqual(3);
    }
  await expectNoViolations();
});
