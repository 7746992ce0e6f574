import { DeleteCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Violation } from '../../../../infra/admin/audit/audit.ts';
import { INVARIANTS } from '../../../../infra/admin/audit/invariants.ts';
import { copyKey } from '../../../../lib/events/event.ts';
import { expiryOf, newEventId, timeOfId } from '../../../../lib/events/eventId.ts';
import { FEED } from '../../../../lib/events/feed.ts';
import { table, tableName } from '../../../../lib/table/client.ts';
import { branchKey, serialKey, terminalKey, tidOf } from '../../../../lib/table/keys.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { admin, done, failed } from '../admin.ts';
import { at, type Items, northgate, payfair, sound } from '../audit/soundTable.ts';
import {
  eventOf,
  type Facts,
  keysOf,
  listsT1,
  noteOf,
  put,
  remove,
  tableWith,
  unclaimed,
  unsort,
  WRONG,
  withData,
} from '../audit/violations.ts';

/** How many items a page of a scan has. */
const PAGE = 250;

/** Serves these items to audits: to each scan its own, and the last ones to all others. Returns the requests. */
function serve(...scans: Items[]): ScanCommandInput[] {
  const requests: ScanCommandInput[] = [];
  jest.spyOn(table, 'send').mockImplementation((async ({ input }: { input: ScanCommandInput }) => {
    requests.push({ ...input });
    const first = input.ExclusiveStartKey?.['first'] ?? 0;
    const items = Object.values(scans[0] ?? {});
    const isLast = first + PAGE >= items.length;
    if (isLast && scans.length > 1) scans.shift();
    return { Items: items.slice(first, first + PAGE), LastEvaluatedKey: isLast ? undefined : { first: first + PAGE } };
  }) as never);
  return requests;
}
const scansIn = (requests: ScanCommandInput[]) => requests.filter((each) => !each.ExclusiveStartKey).length;

// No write is in progress during an audit, so it checks all events.
FEED.horizonMs = Number.NEGATIVE_INFINITY;
afterEach(() => {
  FEED.horizonMs = Number.NEGATIVE_INFINITY;
  jest.restoreAllMocks();
});

const ITEMS = {
  acquirer: 5,
  api_key: 11,
  api_key_use: 1,
  person: 2,
  identity: 2,
  session: 6,
  session_use: 1,
  membership: 3,
  invitation: 2,
  provider: 2,
  distributor: 2,
  payment_app: 10,
  master_acquirer: 10,
  master_merchant_entry: 8,
  master_merchant: 4,
  branch_list: 3,
  branch_list_entry: 13,
  word_entry: 78,
  branch: 10,
  terminal: 51,
  serial: 42,
  event: 47,
  reassignment: 2,
  card: 1,
  member_card: 1,
  reward: 1,
  erasure: 1,
  record: 93,
  idempotency_key: 4,
  rate_limit: 3,
  unknown: 0,
};

/** The items by kind, as an audit prints them. */
const kinds = (others: Partial<typeof ITEMS> = {}): string =>
  [['KIND', 'ITEMS'], ...Object.entries({ ...ITEMS, ...others })]
    .flatMap(([kind = '', count]) => (count ? [`${String(kind).padEnd(21)}  ${count}`] : []))
    .join('\n');

const noViolations = (others: Partial<typeof ITEMS> = {}) =>
  done(JSON.stringify({ items: { ...ITEMS, ...others }, broken: [] }));

const sorted = (violations: Violation[]): Violation[] =>
  violations.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const violationsIn = (facts: Facts) => sorted(facts.flat().filter((fact) => 'invariant' in fact));

/** The violations that an audit reports. */
async function violations(): Promise<Violation[]> {
  const { exitCode, stdout, stderr } = await admin(['audit', '--json']);
  const { broken } = JSON.parse(stdout);
  expect([exitCode, stderr]).toEqual([1, `Invariant violations: ${broken.length}.\n`]);
  expect(stdout).not.toMatch(/[\da-f]{64}/);
  return sorted(broken);
}

describe('a sound table', () => {
  test('has no violations, whatever the API and the operator did', async () => {
    await expectNoViolations();
    expect((await admin(['audit'])).exitCode).toBe(0);
    serve(sound);
    expect(await admin(['audit', '--json'])).toEqual(noViolations());
    expect(await admin(['audit'])).toEqual(
      done(`${kinds()}\n\nNo violations: all ${INVARIANTS.length} invariants hold.`),
    );
  });

  test('is read once, page by page and with strong consistency', async () => {
    const requests = serve(sound);
    await admin(['audit']);
    const input = { TableName: tableName(), ConsistentRead: true };
    expect(requests).toEqual([input, { ...input, ExclusiveStartKey: { first: PAGE } }]);
  });

  test('can have branches whose words are not sorted in yet', async () => {
    const unsorted = unsort(payfair, 'SHOP1');
    serve(tableWith(unsorted));
    expect(await admin(['audit', '--json'])).toEqual(
      noViolations({ word_entry: ITEMS.word_entry - unsorted.length + 2 }),
    );
  });

  test('can have many events, in any order', async () => {
    const SER2 = terminalKey(tidOf('SER2'));
    const times = Array.from({ length: 250 }, (_, count) => new Date(Date.now() + count).toISOString());
    const copies = times.map((time) => ({ id: newEventId(time), time }));
    const eventsOf = (who: typeof payfair, each: typeof copies) => {
      const last = eventOf(who, SER2);
      return each.map(({ id, time }) => {
        const { attributes } = withData(last, { updated_at: time });
        return put(copyKey(who.id, id), { ...at(last), ...attributes, ttl: expiryOf(time) });
      });
    };
    const requests = serve(
      tableWith([
        ...eventsOf(payfair, copies),
        ...eventsOf(northgate, copies.toReversed()),
        put(SER2, { updated_at: times.at(-1) }),
      ]),
    );
    expect(await admin(['audit', '--json'])).toEqual(noViolations({ event: ITEMS.event + 2 * 250 }));
    expect(scansIn(requests)).toBe(1);
  });
});

describe('missing events', () => {
  const eventKeys = [...keysOf('EVENTS#'), ...keysOf('REASSIGNMENT#')].toSorted((a, b) => (a.sk < b.sk ? -1 : 1));

  test('are not reported after their retention, nor before the oldest event', async () => {
    const middle = timeOfId(eventKeys.at(eventKeys.length / 2)?.sk as string);
    const older = eventKeys.filter(({ sk }) => timeOfId(sk) < middle);
    expect(older.length).toBeGreaterThan(10);
    serve(tableWith(older.map(remove)));
    expect(await admin(['audit'])).toMatchObject({ exitCode: 0 });
  });

  test('are not reported if there are no events at all', async () => {
    serve(tableWith(eventKeys.map(remove)));
    expect(await admin(['audit', '--json'])).toEqual(noViolations({ event: 0, reassignment: 0 }));
  });

  test('are not reported if newer ones were retained for fewer days than older ones', async () => {
    // All were stored for 30 days except the creation of SHOP1, which is retained for 40. 35 days have passed since.
    const DAY = 24 * 3600;
    const kept = [eventOf(payfair, branchKey('SHOP1')), eventOf(payfair, terminalKey(tidOf('MOVEDTOO')))] as const;
    const others = eventKeys.filter(({ pk, sk }) => !kept.some((key) => key.pk === pk && key.sk === sk));
    const day35 = Date.now() + 35 * DAY * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(day35);
    serve(tableWith([...others.map(remove), put(kept[0], { ttl: at(kept[0]).ttl + 10 * DAY })]));
    expect(await admin(['audit', '--json'])).toEqual(noViolations({ event: 2, reassignment: 0 }));
  });
});

test('events of the last seconds are not checked, because others of the same time may still be stored', async () => {
  const changed = tableWith([
    remove(eventOf(northgate, branchKey('SHOP2'))),
    put(terminalKey(tidOf('T1')), { updated_at: new Date().toISOString() }),
    ...[payfair, northgate].map((who) => remove(eventOf(who, terminalKey(tidOf('GONE'))))),
  ]);
  serve(changed);
  FEED.horizonMs = 3_600_000;
  expect(await admin(['audit', '--json'])).toEqual(noViolations({ event: ITEMS.event - 3 }));
  FEED.horizonMs = Number.NEGATIVE_INFINITY;
  expect((await violations()).map(({ invariant }) => invariant)).toEqual(['event_copies', 'last_event', 'on_record']);
});

describe('a violation is reported if', () => {
  test.each(Object.entries(WRONG))('%s', async (_, facts) => {
    serve(tableWith(facts));
    expect(await violations()).toEqual(violationsIn(facts));
  });

  test('any invariant does not hold: each of them is violated above', () => {
    const violated = violationsIn(Object.values(WRONG).flat()).map(({ invariant }) => invariant);
    expect(INVARIANTS.map(({ name }) => name).filter((name) => !violated.includes(name))).toEqual([]);
  });
});

describe('the report', () => {
  test('lists violations by invariant, with at most twenty items of each; JSON lists all', async () => {
    const notes = Array.from({ length: 23 }, (_, number) => noteOf(number + 1));
    const facts = [listsT1('SHOP2'), listsT1('SHOP3'), unclaimed, ...notes];
    serve(tableWith(facts));
    const t1 = `It lists the branch_order ${at(terminalKey(tidOf('T1'))).branch_order}, which no terminal here has.`;
    expect(await admin(['audit'])).toEqual({
      ...failed('Invariant violations: 26.'),
      stdout: `${kinds({ serial: ITEMS.serial - 1, unknown: 23 })}

known_kind: Every item is of a known kind.
${Array.from({ length: 20 }, (_, number) => `  NOTE#${number + 1} / NOTE: No kind of item has such a key.`).join('\n')}
  and 3 more

terminals: A branch lists exactly its terminals.
  BRANCH#SHOP2 / BRANCH: ${t1}
  BRANCH#SHOP3 / BRANCH: ${t1}

serial_claimed: A terminal's serial_no is claimed by it.
  TERMINAL#${tidOf('SER1')} / TERMINAL: Its serial_no SN1 is not claimed.
`,
    });
    expect(await violations()).toEqual(violationsIn(facts));
  });
});

describe('a concurrent change is not reported', () => {
  test('if only the first scan saw it in part', async () => {
    const requests = serve(tableWith(unclaimed), sound);
    expect(await admin(['audit', '--json'])).toEqual(noViolations());
    expect(scansIn(requests)).toBe(2);
  });

  test('if only the second scan saw it in part', async () => {
    serve(tableWith(listsT1('SHOP2')), tableWith([listsT1('SHOP2'), listsT1('SHOP3')]));
    expect(await violations()).toEqual(violationsIn(listsT1('SHOP2')));
  });
});

// The last test of this file, because it changes the table.
test('expectNoViolations fails if there is a violation', async () => {
  await table.send(new DeleteCommand({ TableName: tableName(), Key: serialKey('SN1') }));
  await expect(expectNoViolations()).rejects.toThrow('Its serial_no SN1 is not claimed.');
});
