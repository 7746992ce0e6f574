import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isOfWebhooks } from '../../infra/publish/contract/calls.ts';
import { CACHE_MS } from '../../lib/base/cache.ts';
import { linkPartners, unlinkPartners } from '../../lib/operator/partnerships.ts';
import { beforeNext, beforeNextWrite } from '../lib/table/intercept.ts';
import { call, OPERATIONS, type Operation, type Request, STATUSES } from '../support/api.ts';
import { stopClocks } from '../support/clock.ts';
import { FOREIGN_TERMINAL, NO_BRANCH, PARTNERSHIP_ENDED } from '../support/constants.ts';
import { isChange } from '../support/contract.ts';
import { eventOf, invoke } from '../support/invoke.ts';
import { expectRefused } from '../support/outcomes.ts';
import { personOf, type SignedIn } from '../support/people.ts';
import { newRequests } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../support/tableRequests.ts';
import { newBranch, newSharedBranch, newTerminal, unique, type World } from '../support/world.ts';

/*
 * What a distributor changes after its partnership with the payment provider has ended. That it can still read, and
 * that nothing changes for the provider, is in test/proofs/tenants/partners.slow.test.ts.
 */

let world: World;
/** Makes a request that the operation accepts once. */
let requestOf: (operation: Operation) => Promise<Request>;
let person: SignedIn;
beforeAll(async () => {
  ({ world, requestOf } = await newRequests());
  person = await personOf(world.distributor.id, 'admin');
});

const begin = () => linkPartners(world.distributor.id, world.provider.id);
/** In no request, although some tests end it while one is under way. */
const end = AsyncLocalStorage.bind(() => unlinkPartners(world.distributor.id, world.provider.id));
afterEach(async () => {
  jest.restoreAllMocks();
  await begin();
});

/** What changes a branch or a terminal that exists. */
const CHANGES = OPERATIONS.filter(
  (operation) => isChange(operation) && operation !== 'createBranch' && !isOfWebhooks(operation),
);

const expectEnded = (operation: Operation, request: Request) =>
  expectRefused(() => call(operation, request), 'partnership_ended', PARTNERSHIP_ENDED);

describe.each(CHANGES)('%s by a distributor', (operation) => {
  const success = STATUSES[operation][0];
  const requestByDistributor = async () => ({ ...(await requestOf(operation)), key: world.distributor.key });

  test(
    'returns 400 and changes nothing after the partnership ended, and is possible when it begins ' + 'again',
    async () => {
      const { key, ...request } = await requestByDistributor();
      const { session } = person;
      await end();
      await expectEnded(operation, { ...request, key });
      await expectEnded(operation, { ...request, session });
      await expectEnded(operation, { ...request, key, query: { validate_only: 'true' } });
      await expectEnded(operation, { ...request, key, headers: { 'idempotency-key': unique('K'), 'if-match': '"x"' } });
      await begin();
      expect((await call(operation, { ...request, session })).status).toBe(success);
    },
  );

  test(
    'returns 400 if the partnership ends just before its first read, and happens if it ends just before its ' + 'write',
    async () => {
      const [refused, done] = [await requestByDistributor(), await requestByDistributor()];
      beforeNext(() => true, end);
      const first = await storedBy(() => call(operation, refused));
      expect([first.response.body.code, Object.keys(first.changed).filter(isShared)]).toEqual([
        'partnership_ended',
        [],
      ]);
      await begin();
      beforeNextWrite(end);
      const second = await storedBy(() => call(operation, done));
      expect(second.response.status).toBe(success);
      expect(second.events?.[world.provider.id]).toHaveLength(1);
    },
  );
});

/** Whether an item is what a distributor shares with a provider. */
const isShared = (key: string): boolean => /^(BRANCH|TERMINAL|SERIAL|EVENTS|LAST_SEEN)#/.test(key);

describe('partnership_ended', () => {
  test('comes after access, and before preconditions, rules and uniqueness', async () => {
    const { key } = world.distributor;
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id } = await newTerminal(world.provider, mid);
    const foreign = await newTerminal(world.stranger, (await newBranch(world.stranger)).mid);
    await call('archiveBranch', { key, path: { mid } });
    await end();
    await expectEnded('archiveBranch', { key, path: { mid }, headers: { 'if-match': '"x"' } });
    await expectEnded('createTerminals', { key, path: { id: mid }, body: { terminals: [{ terminal_id }] } });
    await expectEnded('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Lost' } });
    // The target branch is read only after it.
    await expectEnded('reassignTerminal', { key, path: { id: tid }, body: { mid: 'NOSUCHMID' } });
    await expectRefused(() => call('archiveBranch', { key, path: { mid: foreign.mid } }), 'not_found', NO_BRANCH);
    await expectRefused(
      () => call('updateTerminal', { key, path: { id: foreign.tid }, body: { terminal_model: 'X' } }),
      'not_under_requesting_psp',
      FOREIGN_TERMINAL,
    );
  });

  test('concerns only branches of that payment provider', async () => {
    const { distributor, secondProvider } = world;
    const { mid } = await newBranch(distributor, { payment_provider: secondProvider.id });
    await end();
    const { status } = await call('updateBranch', { key: distributor.key, path: { mid }, body: { city: 'Braga' } });
    expect(status).toBe(200);
  });

  test('does not stop the retry of a create that was executed before', async () => {
    const { key } = world.distributor;
    const request = { ...(await requestOf('createTerminals')), key, headers: { 'idempotency-key': unique('K') } };
    const first = await call('createTerminals', request);
    await end();
    const { response, changed } = await storedBy(() => call('createTerminals', request));
    expect([response.status, response.body, changed]).toEqual([201, first.body, {}]);
  });

  test(
    'begins at most 30 seconds after the end in a process that has read the partnership, and ends at ' + 'once',
    async () => {
      const wait = stopClocks();
      const { mid } = await newSharedBranch(world);
      /** A change by a process with a warm cache; `call` clears the cache each time. */
      const update = (city: string) =>
        invoke('updateBranch', eventOf('updateBranch', { key: world.distributor.key, path: { mid }, body: { city } }));
      // Caches the API key.
      await update('Porto');
      wait(1);
      const warm = await tableRequestsBy(() => update('Braga'));
      expect([warm.response.status, operationsOf(warm)]).toEqual([200, 'GetItem TransactWriteItems']);
      await end();
      wait(CACHE_MS - 1);
      expect((await update('Faro')).status).toBe(200);
      wait(CACHE_MS);
      await expectRefused(() => update('Lagos'), 'partnership_ended', PARTNERSHIP_ENDED);
      await begin();
      expect((await update('Lagos')).status).toBe(200);
    },
  );
});
