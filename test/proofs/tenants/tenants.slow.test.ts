import { beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATIONS as OPERATIONS_OF_PARTNERS } from '../../../infra/stack/template/definitions.ts';
import { type ApiResponse, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { DESCRIBED, parametersOf } from '../../support/contract.ts';
import { stored } from '../../support/stored.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { type Attempt, attemptsOf, placesOf, SEARCHED, succeeding, WITH_ACTIVITY } from './matrix.ts';
import { placed, type Reaction, reactionTo, type Values, valuesAt, without } from './reaction.ts';
import {
  build,
  DISTRIBUTOR,
  HIDDEN,
  KEYED,
  OUTSIDERS,
  type Outsider,
  original,
  PROVIDER,
  provider,
  secrets,
} from './world.ts';

beforeAll(build);

/** The outsiders, with their API keys and as people, each of whom belongs to the hidden provider as well. */
const CALLERS = OUTSIDERS.flatMap((me): [string, Outsider, 'key' | 'session'][] => [
  [me.who, me, 'key'],
  [`a person of two acquirers, as ${me.who},`, me, 'session'],
]);

/** A response in short: `success`, the code of a problem, or the pointer and code of a field error. */
const inShort = ({ status, body }: ApiResponse): string => {
  const [{ pointer, code }] = body.errors?.length === 1 ? body.errors : [{}];
  return pointer ? `${pointer} ${code}` : status < 300 ? 'success' : body.code;
};

/** Expects no hidden text in a response, except what the outsider sent itself or knows from its own branches. */
function expectNoSecret(response: ApiResponse, request: Request, { id, name, partners, subject }: Outsider): void {
  const known = JSON.stringify([request, id, name, partners, subject]);
  const text = JSON.stringify(response);
  expect([...secrets].filter((secret) => text.includes(secret) && !known.includes(secret))).toEqual([]);
}

/**
 * Whether not even response times may tell what exists: members, and master merchants of others. Other ids are no secret,
 * because creating one says whether it is taken.
 */
const isHidden = (operation: Operation, hidden: Values): boolean =>
  operation === 'memberCheck' || Object.keys(hidden).some((place) => place.includes('master_merchant'));

describe.each(OPERATIONS)('%s', (operation) => {
  // The changes of the previous operation were reverted a moment ago.
  beforeAll(waitForIndexes);

  describe.each(CALLERS)('reveals nothing to %s that sends', (_, me, credential) => {
    const requestWith = (values: Values) => ({
      [credential]: me[credential],
      ...placed(succeeding(operation, me), values),
    });
    const known = new Map<string, Reaction>();
    /** Sends no request twice, because the world is the same for each. */
    async function reactionWith(values: Values, expected: string): Promise<Reaction> {
      const request = requestWith(values);
      const name = JSON.stringify(request);
      const reaction = known.get(name) ?? (await reactionTo(operation, request));
      known.set(name, reaction);
      expectNoSecret(reaction.response, request, me);
      expect(inShort(reaction.response)).toBe(expected);
      if (expected !== 'success') expect(reaction.written).toEqual([]);
      return reaction;
    }

    test.each(attemptsOf(operation, me).map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      async (_, { hidden, expected, like }: Attempt) => {
        const short = typeof expected === 'string' ? expected : expected(me);
        const reaction = await reactionWith(hidden, short);
        if (like) {
          const others = typeof like === 'function' ? like(me) : like;
          const sent = [hidden, others].flatMap((values) => valuesAt(requestWith(values), Object.keys(hidden)));
          const compared = (each: Reaction) =>
            without(sent, isHidden(operation, hidden) ? each : { ...each, commands: [] });
          expect(compared(reaction)).toEqual(compared(await reactionWith(others, short)));
        }
      },
    );
  });

  test('leaves nothing in the table that undoing its successes does not remove', async () => {
    expect(await stored()).toEqual(original);
  });
});

describe.each(OUTSIDERS.map((me) => [me.who, me] as const))(
  'the console reveals nothing to a person of %s',
  (_, me) => {
    beforeAll(waitForIndexes);

    async function read(operation: 'search' | 'listActivity', query: Record<string, string>): Promise<ApiResponse> {
      const request = { session: me.session, query };
      const { response, written } = await reactionTo(operation, request);
      expectNoSecret(response, request, me);
      expect(written).toEqual([]);
      return response;
    }

    test.each(SEARCHED)('who searches %s', async (_, q) => {
      expect((await read('search', { q })).body).toEqual({ data: { terminals: [], branches: [], total_branches: 0 } });
    });

    test.each(
      Object.entries(WITH_ACTIVITY).flatMap(([by, values]) =>
        values.map(([what, value]) => [what, { [by]: value }] as const),
      ),
    )('who lists the activity of %s', async (_, query) => {
      expect(inShort(await read('listActivity', query))).toBe('not_found');
    });

    test('who lists all activity', async () => {
      expect(inShort(await read('listActivity', { limit: '50' }))).toBe('success');
    });
  },
);

describe('the matrix', () => {
  test('has every operation', () => {
    expect([...OPERATIONS].sort()).toEqual(Object.keys(OPERATIONS_OF_PARTNERS).sort());
  });

  test('looks for every text that is stored for the hidden acquirers', () => {
    const { mid, tid, terminal_id, serial_no, payment_app, acquirer_name, past, alone } = HIDDEN;
    const { mcc, ...texts } = HIDDEN.texts;
    const names = [mid, tid, terminal_id, serial_no, payment_app, acquirer_name];
    const acquirers = [PROVIDER, DISTRIBUTOR].flatMap(({ id, name }) => [id, name]);
    const others = [past, alone, texts, HIDDEN.master_merchant].flatMap((each) => Object.values(each));
    expect([...secrets]).toEqual(expect.arrayContaining([...names, ...acquirers, ...others]));
  });

  interface Schema {
    properties?: Record<string, Schema>;
    items?: Schema;
  }
  const fieldsOf = ({ properties, items }: Schema, place: string): string[] => {
    if (items) return fieldsOf(items, `${place}.0`);
    if (!properties) return [place];
    return Object.entries(properties).flatMap(([name, schema]) => fieldsOf(schema, `${place}.${name}`));
  };

  test.each(OPERATIONS)('has every parameter and field of %s', (operation) => {
    const { requestBody } = DESCRIBED.get(operation) ?? {};
    const places = parametersOf(operation).map(({ in: part, name }) =>
      part === 'header' ? `headers.${name.toLowerCase()}` : `${part}.${name}`,
    );
    const fields = requestBody ? fieldsOf(requestBody.content['application/json'].schema, 'body') : [];
    const tried = placesOf(operation);
    expect([...places, ...fields].filter((place) => !tried.includes(place))).toEqual([]);
  });

  test('has an Idempotency-Key that is replayed to the acquirer that used it', async () => {
    const { response, written } = await reactionTo('createTerminals', { key: provider.key, ...KEYED });
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(written).toEqual([]);
  });
});
