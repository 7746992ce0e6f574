import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FEED } from '../../../../lib/events/feed.ts';
import { call, OPERATIONS, type Operation, type Request, STATUSES } from '../../../support/api.ts';
import { DESCRIBED, parametersOf } from '../../../support/contract.ts';
import { cursorOf } from '../../../support/cursors.ts';
import { runs, seed } from '../../../support/depth.ts';
import { archiveBranch, newBranch, newWorld, numbered, unique } from '../../../support/world.ts';
import { allowedBy, allows, changed, forbiddenBy, type Hints, type Schema, unknownFields } from './arbitrary.ts';
import { EXACT, GATEWAY_LIMIT } from './exact.ts';
import { EXCLUSIVE, formErrors } from './formErrors.ts';

/*
 * Checks the service with requests generated from exact schemas alone (exact.ts). published.test.ts compares these with
 * docs/openapi.json. As in all tests, every response is validated against the contract too (test/support/api.ts).
 */

/** Requests per operation, and per part of it. */
const ALLOWED = { numRuns: runs(40), seed };
const FORBIDDEN = { numRuns: runs(50), seed };

/** A text as its parameter's schema parses it. */
const readAs = ({ type }: Schema, text: string) =>
  type === 'integer' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

const forbiddenTexts = (schema: Schema): fc.Arbitrary<string> =>
  allowedBy(schema, {})
    .chain((value) => changed(String(value), {}))
    .filter((text): text is string => typeof text === 'string' && text.length <= GATEWAY_LIMIT)
    .filter((text) => !allows(schema, readAs(schema, text)));

const PLACES = ['path', 'query', 'header', 'body'] as const;
type Place = (typeof PLACES)[number];

const parametersIn = (operation: Operation, place: Place) =>
  place === 'query'
    ? (EXACT.get(operation)?.query ?? [])
    : parametersOf(operation).filter((parameter) => parameter.in === place);

/** The parameters that do not accept every text. If-Match has only a limit of the gateway. */
const limitedIn = (operation: Operation, place: Place) =>
  parametersIn(operation, place).filter(({ name }) => name !== 'If-Match');

const bodyOf = (operation: Operation) => ({
  isRequired: DESCRIBED.get(operation)?.requestBody?.required ?? false,
  schema: EXACT.get(operation)?.body,
});

/** What the schemas allow in one part of a request. */
function allowedIn(operation: Operation, place: Place, hints: Hints): fc.Arbitrary<unknown> {
  if (place === 'body') {
    const { isRequired, schema } = bodyOf(operation);
    if (!schema) return fc.constant(undefined);
    const bodies = allowedBy(schema, hints);
    return isRequired ? bodies : fc.option(bodies, { nil: undefined });
  }
  const parameters = parametersIn(operation, place);
  const names = parameters.map(({ name }) => name);
  const values: Record<string, fc.Arbitrary<string>> = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, allowedBy(schema, hints, name).map(String)]),
  );
  if (place !== 'query') return fc.record(values, { requiredKeys: place === 'path' ? names : [] });
  const groups = Object.entries(EXCLUSIVE[operation] ?? {}).map(([name, others]) => [name, ...others]);
  const known = fc
    .constantFrom(...(groups.length > 0 ? groups : [names]))
    .chain((group) => fc.record(pick(values, group), { requiredKeys: groups.length > 0 ? group.slice(0, 1) : [] }));
  return fc.tuple(unknownFields(names, fc.string()), known).map(([unknown, sent]) => ({ ...unknown, ...sent }));
}

const pick = <T>(values: Record<string, T>, names: string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** What the schemas forbid in one part of a request, with a single difference from what they allow. */
function forbiddenIn(operation: Operation, place: Place, hints: Hints): fc.Arbitrary<unknown> {
  if (place === 'body') {
    const { isRequired, schema = {} } = bodyOf(operation);
    const bodies = forbiddenBy(schema, hints);
    return isRequired ? fc.option(bodies, { nil: undefined, freq: 50 }) : bodies;
  }
  const forbidden = limitedIn(operation, place).map(({ name, schema }) =>
    forbiddenTexts(schema).map((text) => ({ [name]: text })),
  );
  return fc
    .tuple(allowedIn(operation, place, hints), fc.oneof(...forbidden))
    .map(([sent, wrong]) => ({ ...(sent as object), ...wrong }));
}

/** Requests that the schemas allow, or that they forbid because of one part. */
const requestsTo = (operation: Operation, hints: Hints, wrong?: Place): fc.Arbitrary<Request> =>
  fc
    .record(
      Object.fromEntries(
        PLACES.map((place) => [place, (place === wrong ? forbiddenIn : allowedIn)(operation, place, hints)]),
      ),
    )
    .map(({ header = {}, ...request }) => {
      const headers = Object.entries(header as object).map(([name, value]) => [name.toLowerCase(), value]);
      return { ...request, headers: Object.fromEntries(headers) };
    });

/**
 * The codes with which the service rejects each part. Parts that are checked earlier may be rejected first, for their
 * content.
 */
const CODES: Record<Place, RegExp> = {
  path: /^(?:not_found|invalid_query|validation_failed|idempotency_key_reused)$/,
  query: /^invalid_query$/,
  header: /^(?:invalid_idempotency_key|validation_failed)$/,
  body: /^validation_failed$/,
};

/** Creates acquirers, branches and terminals for an operation; returns the caller's key and hints for requests. */
async function estate(operation: Operation): Promise<{ key: string; hints: Hints }> {
  // Events are shown immediately.
  FEED.horizonMs = -1_000;
  const { provider, distributor } = await newWorld();
  const branches = [];
  for (const _ of Array(3)) branches.push(await newBranch(provider, { terminals: numbered(unique('T'), 20) }));
  // So that there are terminals to restore and a branch that accepts no more.
  await archiveBranch(provider, branches[0].mid);
  const mids = branches.map(({ mid }) => mid);
  const terminals: { tid: string; terminal_id: string }[] = branches.flatMap((branch) => branch.terminals);
  // A cursor belongs to the history of one terminal.
  const tids = terminals.map(({ tid }) => tid).slice(0, operation === 'getTerminalHistory' ? 3 : undefined);
  const hints = {
    ...(operation !== 'createBranch' && { mid: mids }),
    id: /Terminal(?:History)?$/.test(operation) ? tids : mids,
    after: ['now', cursorOf(provider, ['events'], Date.now() - 60_000)],
    before:
      operation === 'getTerminalHistory'
        ? tids.map((tid) => cursorOf(provider, ['terminal', tid]))
        : mids.map((mid) => cursorOf(provider, ['branch', mid])),
    ...(operation === 'find' && { tid: tids, terminal_id: terminals.map(({ terminal_id }) => terminal_id) }),
    payment_provider: [provider.id, null],
    distributor: [distributor.id, null],
    existing_master_merchant: [branches[0].existing_master_merchant, null],
    payment_app: ['Checkout Go', null],
    acquirer_name: ['Atlantic Acquiring', null],
    acquirer_id: [provider.id],
    currency: ['EUR'],
    'If-Match': ['*'],
  };
  return { key: provider.key, hints };
}

describe.each(OPERATIONS)('%s', (operation) => {
  let key: string;
  let hints: Hints;
  beforeAll(async () => {
    ({ key, hints } = await estate(operation));
  });

  /** A body that is a string is sent as JSON too. */
  const send = (request: Request) =>
    call(operation, { ...request, key, body: request.body === undefined ? undefined : JSON.stringify(request.body) });

  test('accepts every request that its schemas allow', async () => {
    const statuses = new Set<number>();
    const property = fc.asyncProperty(requestsTo(operation, hints), async (request) => {
      const response = await send(request);
      statuses.add(response.status);
      expect(formErrors(response)).toEqual([]);
    });
    await fc.assert(property, ALLOWED);
    expect(statuses).toContain(STATUSES[operation][0]);
  });

  const places = PLACES.filter((place) =>
    place === 'body' ? bodyOf(operation).schema : limitedIn(operation, place).length > 0,
  );
  test.each(places)('rejects every request that its schemas forbid because of its %s', async (place) => {
    const property = fc.asyncProperty(requestsTo(operation, hints, place), async (request) => {
      const response = await send(request);
      expect(response.body).toMatchObject({ code: expect.stringMatching(CODES[place]) });
      if (place === 'body') expect(formErrors(response)).not.toEqual([]);
    });
    await fc.assert(property, FORBIDDEN);
  });
});
