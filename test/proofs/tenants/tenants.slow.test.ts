import { beforeAll, expect, test } from '@jest/globals';
import { OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { eventsIn, stored } from '../../support/stored.ts';
import { checkEach } from '../../support/walk.ts';
import { build, HIDDEN, hiddenItems, KEYED, OUTSIDERS, type Outsider, PROVIDER, provider, secrets } from './hidden.ts';
import { type Attempt, attemptsOf, SEARCHED, succeeding, WITH_ACTIVITY } from './matrix.ts';
import { placed, type Reaction, reactionTo, textsAt, type Values, without } from './reaction.ts';

/** The table as every request finds it. */
let original: Awaited<ReturnType<typeof stored>>;
beforeAll(async () => {
  await build();
  original = await stored();
});

/**
 * Expects no hidden text in a response and in what is written, except what the outsider sent itself or knows from its
 * own branches, and no change of a hidden item.
 */
function expectHidden(
  { response, written, deleted }: Reaction,
  request: Request,
  { id, name, partners, subject }: Outsider,
): void {
  const known = JSON.stringify([request, id, name, partners, subject]);
  const text = JSON.stringify([response, written, eventsIn(written)]);
  expect([...secrets].filter((secret) => text.includes(secret) && !known.includes(secret))).toEqual([]);
  expect(hiddenItems.filter((key) => key in written || deleted.includes(key))).toEqual([]);
}

/**
 * Whether not even response times may tell what exists: members, and master merchants of others. Other ids are no
 * secret, because creating one says whether it is taken.
 */
const isSecret = (operation: Operation, hidden: Values): boolean =>
  operation === 'memberCheck' || Object.keys(hidden).some((place) => /master_merchant(_id)?$/.test(place));

/** What is written of refused requests of the caller. */
const keptIn = ({ written }: Reaction, { id }: Outsider): Reaction['written'] =>
  Object.fromEntries(Object.entries(written).filter(([key]) => key.startsWith(`REFUSED_REQUESTS#${id} `)));

/** What its caller later learns of a refused request, but for times and ids of requests. */
const toldBy = ({ response, written }: Reaction) =>
  response.status < 300
    ? []
    : Object.values(written).map(({ status, code, errors, mid, tid, webhook, weight }) => [
        status,
        code,
        errors,
        mid,
        tid,
        webhook,
        weight,
      ]);

/** Every fourth attempt is made by a person, who belongs to the hidden provider as well. */
const isByPerson = (attempt: number, outsider: number): boolean => (attempt + outsider) % 4 === 0;

test.each(OPERATIONS)('%s reveals and changes nothing that is hidden from its caller', async (operation) => {
  const cases = OUTSIDERS.flatMap((me, outsider) =>
    attemptsOf(operation, me, outsider % 2).map((attempt, at) => {
      const by = isByPerson(at, outsider) ? 'session' : 'key';
      return [`${me.who}, by ${by}, that sends ${attempt.what}`, { me, by, attempt }] as const;
    }),
  );
  const known = new Map<string, Reaction>();
  /** Sends no request twice, because the world is the same for each. */
  async function reactionWith(request: Request, me: Outsider): Promise<Reaction> {
    const name = JSON.stringify(request);
    const reaction = known.get(name) ?? (await reactionTo(operation, request));
    known.set(name, reaction);
    expectHidden(reaction, request, me);
    if (reaction.response.status >= 300)
      expect([reaction.written, reaction.deleted]).toEqual([keptIn(reaction, me), []]);
    return reaction;
  }
  await checkEach<{ me: Outsider; by: 'key' | 'session'; attempt: Attempt }>(
    cases,
    async ({ me, by, attempt: { hidden, like, code } }) => {
      const requestWith = (values: Values) => ({ [by]: me[by], ...placed(succeeding(operation, me), values) });
      const reaction = await reactionWith(requestWith(hidden), me);
      if (!like) return expect(reaction.response.body.code).toBe(code);
      const other = await reactionWith(requestWith(like), me);
      const sent = [hidden, like].flatMap((values) => textsAt(requestWith(values), Object.keys(hidden)));
      expect(without(sent, reaction.response)).toEqual(without(sent, other.response));
      expect(toldBy(reaction)).toEqual(toldBy(other));
      if (isSecret(operation, hidden)) expect(reaction.commands).toEqual(other.commands);
    },
  );
  // Undoing what succeeded left nothing behind.
  expect(await stored()).toEqual(original);
});

test('the console reveals nothing to people of other acquirers', async () => {
  const reads = [
    ...SEARCHED.map(([what, q]) => [what, 'search', { q }, undefined] as const),
    ...Object.entries(WITH_ACTIVITY).flatMap(([by, values]) =>
      values.map(([what, value]) => [what, 'listActivity', { [by]: value }, 'not_found'] as const),
    ),
    ['everything', 'listActivity', { limit: '50' }, undefined] as const,
    ['everything', 'listLastSeen', {}, undefined] as const,
    ['a branch', 'listLastSeen', { mid: HIDDEN.mid }, 'not_found'] as const,
  ];
  const cases = OUTSIDERS.flatMap((me) =>
    reads.map((read) => [`${me.who}: ${read[1]} of ${read[0]}`, { me, read }] as const),
  );
  await checkEach(cases, async ({ me, read: [, operation, query, expected] }) => {
    const request: Request = { session: me.session, query: query as Record<string, string> };
    const reaction = await reactionTo(operation, request);
    expectHidden(reaction, request, me);
    expect(reaction.written).toEqual(keptIn(reaction, me));
    expect(reaction.response.body.code).toBe(expected);
    if (operation === 'search')
      expect(reaction.response.body).toEqual({
        data: { terminals: [], released: [], branches: [], total_branches: 0 },
      });
  });
});

test('the hidden texts are known, and the Idempotency-Key is replayed to the acquirer that used it', async () => {
  const { mid, tid, serial_no, payment_app, past, alone, deleted, master_merchant } = HIDDEN;
  const ids = [mid, tid, serial_no, payment_app, past.tid, alone.mid, deleted.tid, master_merchant.uuid, PROVIDER.id];
  expect([...secrets]).toEqual(expect.arrayContaining([...ids, HIDDEN.texts['branch_name']]));
  const { response, written } = await reactionTo('createTerminals', { key: provider.key, ...KEYED });
  expect(response.headers['idempotent-replayed']).toBe('true');
  expect(written).toEqual({});
});
