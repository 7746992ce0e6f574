import { beforeAll, describe, expect, test } from '@jest/globals';
import { ENDPOINTS } from '../../../infra/template/definitions.ts';
import { type ApiResponse, eventOf, expectProblem, OPERATIONS, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { stored } from '../../support/stored.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { attemptsOf, type Documented, type Endpoint, OWN, placesOf } from './matrix.ts';
import { placed, type Reaction, reactionTo, reactionToEvent, type Values, valuesAt, without } from './reaction.ts';
import { watched } from './watched.ts';
import {
  build,
  DISTRIBUTOR,
  EXPIRED,
  HIDDEN,
  KEPT,
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

/** An answer tells nothing that is hidden, but for what the outsider has sent itself, or knows from its own branches. */
function expectNoSecret(
  response: ApiResponse,
  request: Request,
  { partners, payment_provider, distributor }: Outsider,
): void {
  const known = JSON.stringify([request, partners, payment_provider, distributor]);
  const told = JSON.stringify(response);
  expect([...secrets].filter((secret) => told.includes(secret) && !known.includes(secret))).toEqual([]);
}

describe.each(OPERATIONS)('%s', (operation) => {
  // The changes of the previous operation were reverted a moment ago.
  beforeAll(waitForIndexes);

  describe.each(OUTSIDERS.map((me) => [me.who, me] as const))('tells %s nothing when it tries', (_, me) => {
    const requestWith = (values: Values) => ({ key: me.key, ...placed(OWN[operation](me), values) });
    const known = new Map<string, Reaction>();
    /** The world is the same for every request, so that none is sent twice. */
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

  /** Nothing is looked at but the key. */
  async function expectShutOut(me: Outsider, values: Values = {}): Promise<void> {
    const { response, commands, written } = await reactionTo(operation, {
      key: me.key,
      ...placed(OWN[operation](me), values),
    });
    expectProblem(response, 'invalid_api_key', INVALID_KEY);
    expect({ commands, written }).toEqual({ commands: [], written: [] });
  }

  describe(`shuts out ${WAS_DISABLED.who}, who tries`, () => {
    test.each(attemptsOf(operation, WAS_DISABLED).map(({ what, hidden }) => [what, hidden] as const))(
      '%s',
      (_, hidden) => expectShutOut(WAS_DISABLED, hidden),
    );
  });

  test.each([WAS_DISABLED, REVOKED, EXPIRED].map((me) => [me.who, me] as const))(
    'shuts out %s from what was its own',
    (_, me) => expectShutOut(me),
  );

  test('stores nothing of all that, once what succeeded is put back', async () => {
    expect(await stored()).toEqual(original);
  });
});

describe('the matrix', () => {
  test('has every operation', () => {
    expect([...OPERATIONS, 'unknownRoute'].sort()).toEqual(Object.keys(ENDPOINTS).sort());
  });

  test('knows what is hidden by all that is stored of it', () => {
    const { mid, tid, terminal_id, serial_no, payment_app, acquirer_name, terminal_model, reason, past, alone } =
      HIDDEN;
    const { mcc, ...texts } = HIDDEN.texts;
    const names = [mid, tid, terminal_id, serial_no, payment_app, acquirer_name, terminal_model, reason];
    const acquirers = [PROVIDER, DISTRIBUTOR].flatMap(({ id, name }) => [id, name]);
    const others = [past, alone, texts, ...HIDDEN.masterMerchants].flatMap((each) => Object.values(each));
    expect([...secrets]).toEqual(expect.arrayContaining([...names, ...acquirers, ...others]));
  });

  /** What says nothing of whose things a request is about: its route, its form, and the key, which is the outsider. */
  const FORM = new Set([
    'routeKey',
    'rawQueryString',
    'path',
    'body',
    'isBase64Encoded',
    'headers.content-type',
    'headers.api-key',
    // Unknown parameters are named, and the chain collects them.
    'query',
    'warnings',
  ]);
  const telling = (places: Iterable<string>): string[] => [...new Set(places).difference(FORM)].sort();

  test.each(OPERATIONS)('has every place of a request where %s looks', async (operation) => {
    // A provider and a distributor: their bodies have different rules.
    for (const me of OUTSIDERS.slice(0, 2)) {
      const { event, places } = watched(eventOf(operation, { key: me.key, ...OWN[operation](me) }));
      const { response } = await reactionToEvent(operation, event);
      expect(response.status).toBe(STATUSES[operation][0]);
      expect(telling(places)).toEqual(telling(placesOf(operation)));
    }
  });

  test.each(Object.entries(KEPT))(
    'has an Idempotency-Key of %s that is answered again to who has sent it',
    async (operation, request) => {
      const { response, written } = await reactionTo(operation as keyof typeof KEPT, { key: provider.key, ...request });
      expect(response.headers['idempotent-replayed']).toBe('true');
      expect(written).toEqual([]);
    },
  );
});
