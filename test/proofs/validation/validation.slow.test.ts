import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ACQUIRERS, API_OPERATIONS, prepare, STORY, type Step } from '../../../infra/publish/contract/calls.ts';
import { replaced } from '../../../infra/publish/contract/record.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { setClock } from '../../support/clock.ts';
import { contractViolations, EXAMPLES, isChange } from '../../support/contract.ts';
import { type ApiResponse, eventOf, invoke } from '../../support/invoke.ts';
import '../../../infra/local/patient.ts';
import { acceptAllPosts } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';

/*
 * The story of the contract, in which every operation succeeds and has each of its problems. Each change is first sent
 * with validate_only=true and then for real, at the same time and with the same request id. So the two responses are
 * the same, down to times and ids.
 */

const CHANGES = API_OPERATIONS.filter(isChange);

const START = Date.parse('2026-11-20T09:30:00.000Z');
const MINUTE = 60_000;

let keys: Record<string, string>;
beforeAll(async () => {
  setClock(START - MINUTE);
  keys = await prepare();
  acceptAllPosts();
  // Each create also tries to seal its lists, which is a write too.
  SEALING.probability = 1;
});
afterAll(() => {
  SEALING.probability = 0;
  jest.useRealTimers();
});

/** What stands for ids in the story's requests, with those that its responses made. */
const made = new Map<string, string>();

/** Sends a request of the story, with further query parameters. */
async function send({ operation, as = 'payfair', request = {}, ...step }: Step, id: string, more: object = {}) {
  const query = { ...request.query, ...more };
  const event = eventOf(operation, { ...replaced(request, made), query, key: keys[as] });
  if (step.isTooLarge) event.body = ' '.repeat(MAX_BODY_BYTES + 1);
  const response = await invoke(operation, event, id);
  expect(contractViolations(operation, response)).toEqual([]);
  return response;
}

/** What a validation does not have: secrets, and what became of a test, which it does not post. */
const dataOf = ({ data }: ApiResponse['body']) => ({
  ...(data.secret && { secret: null }),
  ...('duration_ms' in data && { status: null, duration_ms: 0 }),
});

/** Neither has it the headers of what it would have created or changed. */
const expectedOf = ({ status, headers: { etag, location, ...headers }, body }: ApiResponse): ApiResponse =>
  status < 300
    ? {
        status: 200,
        headers,
        body: Array.isArray(body.data) ? body : { ...body, data: { ...body.data, ...dataOf(body) } },
      }
    : { status, headers: { ...headers, ...(etag && { etag }) }, body };

test('validate_only returns what the real request returns, and stores nothing, for every outcome', async () => {
  const seen = new Set<string>();
  for (const [at, step] of STORY.entries()) {
    const { operation, request } = step;
    if (!isChange(operation)) continue;
    setClock(START + at * MINUTE);
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    if (step.endsPartnership) await unlinkPartners(ACQUIRERS.northgate.id, ACQUIRERS.payfair.id);
    // Some steps of the story are validations themselves, or have an invalid validate_only.
    const isValidation = request?.query?.['validate_only'] !== undefined;
    const validation = await storedBy(() => tableRequestsBy(() => send(step, id, { validate_only: 'true' })));
    const { response, ...sent } = validation.response;
    const writes = operationsOf(sent).match(/\w*(Put|Update|Delete|Write)\w*/g);
    expect([at, operation, validation.changed, writes]).toEqual([at, operation, {}, null]);
    const real = await send(step, id);
    for (const [field, text] of Object.entries(step.makes ?? {})) made.set(text, (real.body.data ?? real.body)[field]);
    if (isValidation) continue;
    expect([at, operation, response]).toEqual([at, operation, expectedOf(real)]);
    seen.add(`${operation} ${real.body.code ?? 'success'}`);
  }
  const promised = EXAMPLES.filter(
    ({ operation, request }) => isChange(operation) && !request.query?.['validate_only'],
  );
  const outcomes = promised.map(({ operation, body }) => `${operation} ${body.code ?? 'success'}`);
  expect([...seen].sort()).toEqual([...new Set(outcomes)].sort());
  for (const operation of CHANGES) expect(seen).toContain(`${operation} success`);
});
