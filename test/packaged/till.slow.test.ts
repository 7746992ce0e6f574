import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addCard } from '../../lib/operator/memberImport.ts';
import { runBundle, writeBundle } from '../bench/instance.ts';
import type { Took } from '../bench/instanceProcess.ts';
import { eventOf } from '../support/api.ts';
import { FAILURE_NAMES, type Failing, startFailing } from '../support/failingTable.ts';
import { ownFolder } from '../support/scripts.ts';
import { newBranch, newTerminal, newWorld } from '../support/world.ts';

/*
 * The packaged member check in processes of its own, whose table and secrets fail.
 */

const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
const ON_LAMBDA = { AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' };
const folder = ownFolder();
let file: string;
let event: unknown;
beforeAll(async () => {
  const { provider } = await newWorld();
  const { mid } = await newBranch(provider);
  const { terminal_id } = await newTerminal(provider, mid);
  await addCard('anna', CARD);
  const body = { amount: 50, ...CARD, currency: 'EUR', terminal_id, acquirer_id: provider.id };
  event = eventOf('memberCheck', { key: provider.key, body });
  file = await writeBundle(folder, 'memberCheck');
});

const opened: Failing[] = [];
afterAll(() => Promise.all(opened.map(({ stop }) => stop())));

/** The services of a process: a table and a store of secrets that can fail. */
type Services = Record<'table' | 'secrets', Failing>;

async function startServices(): Promise<Services> {
  const [table, secrets] = await Promise.all(
    ['DYNAMODB', 'SECRETS_MANAGER'].map((service) =>
      startFailing(process.env[`AWS_ENDPOINT_URL_${service}`] as string),
    ),
  );
  opened.push(table as Failing, secrets as Failing);
  return { table: table as Failing, secrets: secrets as Failing };
}

/**
 * Runs a process.
 *
 * @param before Does something before each of so many checks.
 */
async function run(
  { table, secrets }: Services,
  before: (() => unknown)[],
  environment: Record<string, string> = {},
): Promise<Took[]> {
  async function* checks() {
    for (const each of before) {
      await each();
      yield event;
    }
  }
  const { calls } = await runBundle(file, checks(), {
    MEMBER_CHECK_MS: '1000',
    ...environment,
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
  });
  return calls;
}

/** The requests that reached each service so far. */
const requestsOf = ({ table, secrets }: Services) => ({ table: table.requests(), secrets: secrets.requests() });

const BUSY = { status: 400, retryAfter: expect.stringMatching(/^[1-5]$/) };

test('a process that Lambda initialises has fetched the card key and read the table before its first check', async () => {
  const services = await startServices();
  let before: object | undefined;
  const calls = await run(services, [() => (before = requestsOf(services))], ON_LAMBDA);
  expect(before).toEqual({ table: 3, secrets: 1 });
  expect([calls.map(({ status }) => status), services.secrets.requests()]).toEqual([[200], 1]);
});

/** A process that starts while one of its services never responds. */
async function startWithout(which: keyof Services) {
  const services = await startServices();
  await services[which].fail('never responds');
  return run(services, [() => {}, () => services[which].fail(undefined)], ON_LAMBDA);
}

/** A process whose table fails in one way after another. Returns how often it tried each time. */
async function failInTurn() {
  const services = await startServices();
  const { table } = services;
  const counts: number[] = [];
  let before: object | undefined;
  const [, ...calls] = await run(services, [
    () => (before = requestsOf(services)),
    ...FAILURE_NAMES.map((how) => () => {
      counts.push(table.requests());
      return table.fail(how);
    }),
  ]);
  return { before, calls, tries: counts.map((count, at) => (counts[at + 1] ?? table.requests()) - count) };
}

test('a process starts although a service never responds, and checks try again; Retry-After is in every failure', async () => {
  // They mostly wait.
  const [withoutTable, withoutSecrets, { before, calls, tries }] = await Promise.all([
    startWithout('table'),
    startWithout('secrets'),
    failInTurn(),
  ]);
  expect([withoutTable, withoutSecrets]).toMatchObject([
    [BUSY, { status: 200 }],
    [BUSY, { status: 200 }],
  ]);
  // Only a process that Lambda initialises prepares itself.
  expect(before).toEqual({ table: 0, secrets: 0 });
  expect(calls).toMatchObject(FAILURE_NAMES.map(() => BUSY));
  // No request reaches a table that refuses connections, which is the last failure.
  expect(tries.pop()).toBe(0);
  expect(Math.min(...tries)).toBeGreaterThanOrEqual(2);
});
