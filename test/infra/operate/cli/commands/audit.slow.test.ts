import { DeleteCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { SCHEMA } from '../../../../../infra/local/table.ts';
import {
  INVARIANTS,
  type Violation,
  violationsIn,
  violationsOf,
} from '../../../../../infra/operate/cli/audit/audit.ts';
import { inspect, shownKey } from '../../../../../infra/operate/cli/audit/inspect.ts';
import { KIND_NAMES, KINDS, type KindName } from '../../../../../infra/operate/cli/audit/kinds.ts';
import { Snapshot } from '../../../../../infra/operate/cli/audit/snapshot.ts';
import { timeOfId } from '../../../../../lib/base/eventId.ts';
import { copyKey, type EventType } from '../../../../../lib/events/event.ts';
import { FEED } from '../../../../../lib/events/feed.ts';
import { table, tableName } from '../../../../../lib/table/client.ts';
import * as keys from '../../../../../lib/table/keys.ts';
import { expectNoViolations } from '../../../../support/invariants.ts';
import { eventsIn } from '../../../../support/stored.ts';
import { ITEMS, type Mutation, mutations } from '../audit/mutations.ts';
import { UNREPORTED } from '../audit/reports.ts';
import { at, EARLY, type Items, LATE, nameOf, northgate, payfair, sound } from '../audit/soundTable.ts';
import { done, failed, operator } from '../operator.ts';

const T1 = keys.terminalKey(keys.tidOf('T1'));

/** A change of the sound table: an item's new attributes, of which `undefined` removes one; none remove the item. */
type Change = [key: keys.Key, attributes?: object];
const put = (key: keys.Key, attributes: object): Change => [key, attributes];
const remove = (key: keys.Key): Change => [key];
function tableWith(changes: Change[]): Items {
  const items = { ...sound };
  for (const [key, attributes] of changes)
    if (attributes) items[nameOf(key)] = { ...at(key), ...attributes, ...key };
    else delete items[nameOf(key)];
  return items;
}

/** The keys of items whose name starts with this text. */
const keysOf = (start: string): keys.Key[] =>
  Object.values(sound).flatMap(({ pk, sk }) => (nameOf({ pk, sk }).startsWith(start) ? [{ pk, sk }] : []));

/** The key of an acquirer's copy of an event of a branch, by its MID, or of a terminal, by its TID. */
function eventOf({ id }: { id: string }, type: EventType, of: string): keys.Key {
  const isOf = (event: { type: string; branch: { mid: string }; data: unknown }) =>
    event.type === type && [event.branch.mid, (event.data as { tid?: string }).tid].includes(of);
  return copyKey(id, eventsIn(sound)[id]?.find(isOf)?.id as string);
}

/** How many items a page of a scan has. */
const PAGE = 200;

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

const ITEM_COUNTS = Object.fromEntries(
  [...KIND_NAMES, 'unknown'].map((kind) => [kind, ITEMS.filter((item) => inspect(item).kind === kind).length]),
);

const count = (kind: KindName): number => ITEM_COUNTS[kind] as number;

/** The items by kind, as an audit prints them. */
const kinds = (others: Record<string, number> = {}): string =>
  [['KIND', 'ITEMS'], ...Object.entries({ ...ITEM_COUNTS, ...others })]
    .flatMap(([kind = '', count]) => (count ? [`${String(kind).padEnd(21)}  ${count}`] : []))
    .join('\n');

const noViolations = (others: Record<string, number> = {}) =>
  done(JSON.stringify({ items: { ...ITEM_COUNTS, ...others }, broken: [] }));

const sorted = (violations: Violation[]): Violation[] =>
  violations.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
/** The violations that an audit reports. */
async function violations(): Promise<Violation[]> {
  const { exitCode, stdout, stderr } = await operator(['audit', '--json']);
  const { broken } = JSON.parse(stdout);
  expect([exitCode, stderr]).toEqual([1, `Invariant violations: ${broken.length}.\n`]);
  expect(stdout).not.toMatch(/[\da-f]{64}/);
  return sorted(broken);
}

describe('a sound table', () => {
  test('has no violations, whatever the API and the operator did', async () => {
    expect(KIND_NAMES.filter((kind) => count(kind) === 0)).toEqual([]);
    await expectNoViolations();
    expect((await operator(['audit'])).exitCode).toBe(0);
    serve(sound);
    expect(await operator(['audit', '--json'])).toEqual(noViolations());
    expect(await operator(['audit'])).toEqual(
      done(`${kinds()}\n\nNo violations: all ${Object.keys(INVARIANTS).length} invariants hold.`),
    );
  });

  test('is read once, page by page and with strong consistency', async () => {
    const requests = serve(sound);
    await operator(['audit']);
    const input = { TableName: tableName(), ConsistentRead: true };
    expect(requests).toEqual([input, { ...input, ExclusiveStartKey: { first: PAGE } }]);
  });

  test('can have branches whose words are not sorted in yet', async () => {
    const unindexed = keys.unindexedWordsKey('BRANCHES', payfair.id, 'SHOP1');
    const entries = keysOf(`${unindexed.pk}#`).filter(({ sk }) => sk.endsWith('#SHOP1'));
    serve(tableWith([...entries.map(remove), put(unindexed, at(entries[0] as keys.Key))]));
    expect(await operator(['audit', '--json'])).toEqual(
      noViolations({ word_entry: count('word_entry') - entries.length + 1 }),
    );
  });
});

describe('missing events', () => {
  const eventKeys = [...keysOf('EVENTS#'), ...keysOf('REASSIGNMENT#')].toSorted((a, b) => (a.sk < b.sk ? -1 : 1));

  test('are not reported after their retention, nor before the oldest event', async () => {
    const middle = timeOfId(eventKeys.at(eventKeys.length / 2)?.sk as string);
    const older = eventKeys.filter(({ sk }) => timeOfId(sk) < middle);
    expect(older.length).toBeGreaterThan(10);
    serve(tableWith(older.map(remove)));
    expect(await operator(['audit'])).toMatchObject({ exitCode: 0 });
  });

  test('are not reported if there are no events at all', async () => {
    serve(tableWith(eventKeys.map(remove)));
    expect(await operator(['audit', '--json'])).toEqual(noViolations({ event: 0, reassignment: 0 }));
  });

  test('are not reported if newer ones were retained for fewer days than older ones', async () => {
    // All were stored for 30 days except the creation of SHOP1, which is retained for 40. 35 days have passed since.
    const DAY = 24 * 3600;
    const kept = [
      eventOf(payfair, 'branch.created', 'SHOP1'),
      eventOf(payfair, 'terminal.reassigned', keys.tidOf('MOVEDTOO')),
    ] as const;
    const others = eventKeys.filter(({ pk, sk }) => !kept.some((key) => key.pk === pk && key.sk === sk));
    const day35 = Date.now() + 35 * DAY * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(day35);
    serve(tableWith([...others.map(remove), put(kept[0], { ttl: at(kept[0]).ttl + 10 * DAY })]));
    expect(await operator(['audit', '--json'])).toEqual(noViolations({ event: 2, reassignment: 0 }));
  });
});

test('events of the last seconds are not checked, because others of the same time may still be stored', async () => {
  const changed = tableWith([
    remove(eventOf(northgate, 'branch.created', 'SHOP2')),
    put(T1, { updated_at: new Date().toISOString() }),
    ...[payfair, northgate].map((who) => remove(eventOf(who, 'terminal.deleted', keys.tidOf('GONE')))),
  ]);
  serve(changed);
  FEED.horizonMs = 3_600_000;
  expect(await operator(['audit', '--json'])).toEqual(noViolations({ event: count('event') - 3 }));
  FEED.horizonMs = Number.NEGATIVE_INFINITY;
  expect((await violations()).map(({ invariant }) => invariant)).toEqual(['event_copies', 'last_event', 'on_record']);
});

describe('an item that is wrong', () => {
  const reported: { mutation: Mutation; broken: Violation[] }[] = [];
  beforeAll(() => {
    const inspected = ITEMS.map((item) => [nameOf(item), inspect(item)] as const);
    for (const mutation of mutations()) {
      // Nothing is wrong with the others by themselves.
      const all = new Snapshot(FEED.horizonMs);
      for (const [name, each] of inspected) if (name !== nameOf(mutation.item)) all.add(each);
      const changed = inspect(mutation.item);
      if (!mutation.isRemoved) all.add(changed);
      const broken = [...(mutation.isRemoved ? [] : violationsOf(changed)), ...violationsIn(all)];
      reported.push({ mutation, broken });
    }
  });

  test('is reported and named, unless nothing in the table contradicts it', () => {
    const unreported = reported.filter(({ broken }) => broken.length === 0).map(({ mutation }) => mutation.name);
    const allowed = Object.values(UNREPORTED).flatMap((text) => text.trim().split(/,\s+/));
    const isOf = (name: string) => (each: string) => name.startsWith(each);
    expect(unreported.filter((name) => !allowed.some(isOf(name)))).toEqual([]);
    expect(allowed.filter((each) => !unreported.some((name) => isOf(name)(each)))).toEqual([]);
    const isNamed = ({ mutation: { item, ids }, broken }: (typeof reported)[number]) =>
      broken.some((each) => {
        const text = `${nameOf(each.item)} ${each.detail}`;
        return nameOf(each.item) === nameOf(item) || ids.some((id) => text.includes(id));
      });
    const unnamed = reported.filter((each) => each.broken.length > 0 && !isNamed(each));
    expect(unnamed.map(({ mutation, broken }) => [mutation.name, broken])).toEqual([]);
  });

  test('is reported by the names of its malformed attributes', () => {
    const malformed = reported.flatMap(({ mutation: { name, item }, broken }) => {
      const [, kind = '', attribute = ''] = /^(\w+)\.(\w+) malformed$/.exec(name) ?? [];
      if (!(attribute in (KINDS[kind as KindName]?.schemas ?? {}))) return [];
      return [
        [name, broken.filter(({ item: { pk } }) => pk === item.pk).map(({ detail }) => detail), attribute] as const,
      ];
    });
    expect(malformed.length).toBeGreaterThan(100);
    for (const [name, details, attribute] of malformed)
      expect([name, details]).toEqual([name, expect.arrayContaining([`Missing or invalid: ${attribute}.`])]);
  });

  test('is reported by every invariant, without what is stored in place of a hash', () => {
    const broken = reported.flatMap((each) => each.broken);
    for (const { detail } of broken) expect(detail).not.toMatch(/[\da-f]{64}|undefined|null|NaN/);
    const reportedElsewhere = ['most_people'];
    const violated = new Set([...broken.map(({ invariant }) => invariant), ...reportedElsewhere]);
    expect([...violated].sort()).toEqual(Object.keys(INVARIANTS).sort());
    // But for a member's id, by which other items are stored, too.
    const unhashed = reported.filter(({ mutation }) => /^(?!record).* not hashed$/.test(mutation.name));
    expect(unhashed.length).toBeGreaterThan(5);
    const shown = unhashed.flatMap((each) => each.broken.map(({ item, detail }) => [shownKey(item), detail]));
    expect(JSON.stringify(shown)).not.toContain('plain text');
  });
});

describe('a violation is reported', () => {
  test.each(SCHEMA.GlobalSecondaryIndexes ?? [])('if an item is in the index $IndexName by mistake', async (index) => {
    const key = keys.paymentAppKey(payfair.id, 'Checkout Go');
    const names =
      index.KeySchema?.flatMap(({ AttributeName = '' }) => (AttributeName in key ? [] : AttributeName)) ?? [];
    serve(tableWith([put(key, Object.fromEntries(names.map((name) => [name, name.endsWith('position') ? 1 : name])))]));
    const detail = `It has a ${names.at(-1)}, which puts it into an index.`;
    expect(await violations()).toEqual([{ invariant: 'index_keys', item: key, detail }]);
  });

  test('if an acquirer has more than 200 people and open invitations', async () => {
    const [invitation] = keysOf(`PEOPLE#${payfair.id} INVITATION#`) as [keys.Key];
    const copies = Array.from({ length: 199 }, (_, number) => {
      const id = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
      // The last one has expired.
      const expired = number === 198 && { expires_at: EARLY, ttl: Date.parse(EARLY) / 1000 };
      return put(keys.invitationKey(payfair.id, id), { ...at(invitation), ...expired });
    });
    serve(tableWith(copies));
    const detail = 'It has 201 people and open invitations; expected at most 200.';
    expect(await violations()).toEqual([{ invariant: 'most_people', item: keys.acquirerKey(payfair.id), detail }]);
  });

  test('if a branch lists more than 1,000 terminals, or its name contains a card number', async () => {
    const orders = Array.from({ length: 1001 }, (_, place) =>
      keys.packOrder(keys.branchOrder(LATE, 0, keys.tidOf(`MANY${place}`))),
    );
    const item = keys.branchKey('SHOP5');
    serve(tableWith([put(item, { terminals: new Set(orders), merchant_name: 'For 4111 1111 1111 1111' })]));
    const detail = 'Missing or invalid: merchant_name, terminals.';
    expect(await violations()).toContainEqual({ invariant: 'form', item, detail });
  });
});

/** A branch lists the terminal T1, which is under another one. */
const listsT1 = (mid: string) =>
  put(keys.branchKey(mid), { terminals: new Set([keys.packOrder(at(T1).branch_order)]) });
const unclaimed = remove(keys.serialKey('SN1'));
const t1Elsewhere = `It differs from ${T1.pk} / TERMINAL in mid.`;

test('the report lists violations by invariant, with at most twenty items of each; JSON lists all', async () => {
  const notes = Array.from({ length: 23 }, (_, number) => put({ pk: `NOTE#${number + 1}`, sk: 'NOTE' }, {}));
  serve(tableWith([listsT1('SHOP2'), listsT1('SHOP3'), unclaimed, ...notes]));
  expect(await operator(['audit'])).toEqual({
    ...failed('Invariant violations: 26.'),
    stdout: `${kinds({ serial: count('serial') - 1, unknown: 23 })}

known_kind: Every item is of a known kind.
${Array.from({ length: 20 }, (_, number) => `  NOTE#${number + 1} / NOTE: No kind of item has such a key.`).join('\n')}
  and 3 more

terminals: A branch lists only its terminals.
  BRANCH#SHOP2 / BRANCH: ${t1Elsewhere}
  BRANCH#SHOP3 / BRANCH: ${t1Elsewhere}

serial_claimed: A terminal's serial_no is claimed by it.
  TERMINAL#${keys.tidOf('SER1')} / TERMINAL: There is no SERIAL#SN1 / SERIAL.
`,
  });
  expect(await violations()).toHaveLength(26);
});

describe('a concurrent change is not reported', () => {
  test('if only the first scan saw it in part', async () => {
    const requests = serve(tableWith([unclaimed]), sound);
    expect(await operator(['audit', '--json'])).toEqual(noViolations());
    expect(scansIn(requests)).toBe(2);
  });

  test('if only the second scan saw it in part', async () => {
    serve(tableWith([listsT1('SHOP2')]), tableWith([listsT1('SHOP2'), listsT1('SHOP3')]));
    expect(await violations()).toEqual([
      { invariant: 'terminals', item: keys.branchKey('SHOP2'), detail: t1Elsewhere },
    ]);
  });
});

// The last test of this file, because it changes the table.
test('expectNoViolations fails if there is a violation', async () => {
  await table.send(new DeleteCommand({ TableName: tableName(), Key: keys.serialKey('SN1') }));
  await expect(expectNoViolations()).rejects.toThrow('There is no SERIAL#SN1 / SERIAL.');
});
