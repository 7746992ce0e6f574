import { beforeAll, describe, expect, test } from '@jest/globals';
import { ENDPOINTS } from '../../../infra/template/definitions.ts';
import { type ApiResponse, eventOf, expectProblem, OPERATIONS, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { stored } from '../../support/stored.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { attemptsOf, type Documented, type Endpoint, placesOf, SUCCEEDING } from './matrix.ts';
import { placed, type Reaction, reactionTo, reactionToEvent, type Values, valuesAt, without } from './reaction.ts';
import { watched } from './watched.ts';
import {
  build,
  DISTRIBUTOR,
  EXPIRED,
  HIDDEN,
  KEYED,
  OUTSIDERS,
  type Outsider,
  original,
  PROVIDER,
  provider,
  REVOKED,
  secrets,
  WAS_DISABLED,
} from './world.ts';

beforeAll(build);

function expectDocumented(operation: Endpoint, response: ApiResponse, documented: Documented): void {
  if (Array.isArray(documented)) {
    expectProblem(response, ...documented);
  } else {
    expect(response.status).toBe(STATUSES[operation][0]);
    expect(response.body).toEqual(documented.body ?? expect.objectContaining({ data: expect.anything() }));
  }
}

/** Expects no hidden text in a response, except what the outsider sent itself or knows from its own branches. */
function expectNoSecret(
  response: ApiResponse,
  request: Request,
  { partners, payment_provider, distributor }: Outsider,
): void {
  const known = JSON.stringify([request, partners, payment_provider, distributor]);
  const text = JSON.stringify(response);
  expect([...secrets].filter((secret) => text.includes(secret) && !known.includes(secret))).toEqual([]);
}

describe.each(OPERATIONS)('%s', (operation) => {
  // The changes of the previous operation were reverted a moment ago.
  beforeAll(waitForIndexes);

  describe.each(OUTSIDERS.map((me) => [me.who, me] as const))('reveals nothing to %s that sends', (_, me) => {
    const requestWith = (values: Values) => ({ key: me.key, ...placed(SUCCEEDING[operation](me), values) });
    const known = new Map<string, Reaction>();
    /** Sends no request twice, because the world is the same for each. */
    async function reactionWith(values: Values): Promise<Reaction> {
      const request = requestWith(values);
      const name = JSON.stringify(request);
      const reaction = known.get(name) ?? (await reactionTo(operation, request));
      known.set(name, reaction);
      expectNoSecret(reaction.response, request, me);
      return reaction;
    }

    test.each(attemptsOf(operation, me).map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      async (_, attempt) => {
        const { hidden, response, like, unlike } = attempt;
        const documented = response(me);
        const reaction = await reactionWith(hidden);
        expectDocumented(operation, reaction.response, documented);
        if (Array.isArray(documented)) expect(reaction.written).toEqual([]);
        if (like) {
          const sent = [hidden, like(me)].flatMap((values) => valuesAt(requestWith(values), Object.keys(hidden)));
          expect(without(sent, reaction)).toEqual(without(sent, await reactionWith(like(me))));
        }
        if (unlike) {
          const other = await reactionWith(unlike.values);
          expectDocumented(operation, other.response, unlike.response);
          expect(other.written).toEqual([]);
        }
      },
    );
  });

  /** Expects a 401 after which the table was not read but for the key. */
  async function expectRejected(me: Outsider, values: Values = {}): Promise<void> {
    const { response, commands, written } = await reactionTo(operation, {
      key: me.key,
      ...placed(SUCCEEDING[operation](me), values),
    });
    expectProblem(response, 'invalid_api_key', INVALID_KEY);
    expect({ commands, written }).toEqual({ commands: [], written: [] });
  }

  describe(`returns 401 to ${WAS_DISABLED.who} that sends`, () => {
    test.each(attemptsOf(operation, WAS_DISABLED).map(({ what, hidden }) => [what, hidden] as const))(
      '%s',
      (_, hidden) => expectRejected(WAS_DISABLED, hidden),
    );
  });

  test.each([WAS_DISABLED, REVOKED, EXPIRED].map((me) => [me.who, me] as const))(
    'returns 401 to %s, which had access before',
    (_, me) => expectRejected(me),
  );

  test('leaves nothing in the table that undoing its successes does not remove', async () => {
    expect(await stored()).toEqual(original);
  });
});

describe('the matrix', () => {
  test('has every operation', () => {
    expect([...OPERATIONS, 'unknownRoute'].sort()).toEqual(Object.keys(ENDPOINTS).sort());
  });

  test('looks for every text that is stored for the hidden acquirers', () => {
    const { mid, tid, terminal_id, serial_no, payment_app, acquirer_name, terminal_model, reason, past, alone } =
      HIDDEN;
    const { mcc, ...texts } = HIDDEN.texts;
    const names = [mid, tid, terminal_id, serial_no, payment_app, acquirer_name, terminal_model, reason];
    const acquirers = [PROVIDER, DISTRIBUTOR].flatMap(({ id, name }) => [id, name]);
    const others = [past, alone, texts, ...HIDDEN.masterMerchants].flatMap((each) => Object.values(each));
    expect([...secrets]).toEqual(expect.arrayContaining([...names, ...acquirers, ...others]));
  });

  /** Places that name no resource: the route, the form, and the key, which is the outsider's own. */
  const FORM = new Set([
    'routeKey',
    'rawQueryString',
    'path',
    'body',
    'isBase64Encoded',
    'headers.content-type',
    'headers.api-key',
    // Unknown parameters are listed as warnings, and the chain collects them.
    'query',
    'warnings',
  ]);
  const naming = (places: Iterable<string>): string[] => [...new Set(places).difference(FORM)].sort();

  test.each(OPERATIONS)('has every place of a request that %s reads', async (operation) => {
    // A provider and a distributor, because their bodies have different rules.
    for (const me of OUTSIDERS.slice(0, 2)) {
      const { event, places } = watched(eventOf(operation, { key: me.key, ...SUCCEEDING[operation](me) }));
      const { response } = await reactionToEvent(operation, event);
      expect(response.status).toBe(STATUSES[operation][0]);
      expect(naming(places)).toEqual(naming(placesOf(operation)));
    }
  });

  test.each(Object.entries(KEYED))(
    'has an Idempotency-Key of %s that is replayed to the acquirer that used it',
    async (operation, request) => {
      const { response, written } = await reactionTo(operation as keyof typeof KEYED, {
        key: provider.key,
        ...request,
      });
      expect(response.headers['idempotent-replayed']).toBe('true');
      expect(written).toEqual([]);
    },
  );
});
