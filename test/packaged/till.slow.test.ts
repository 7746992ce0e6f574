import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from '@jest/globals';
import { serve } from '../../infra/local/serve.ts';
import { addCard } from '../../lib/operator/memberImport.ts';
import { eventOf } from '../support/api.ts';
import { ownFolder } from '../support/scripts.ts';
import { newBranch, newTerminal, newWorld } from '../support/world.ts';
import { runBundle, unpackBundle } from './instance.ts';

/*
 * The packaged member check in processes of its own, whose table and secrets can fail. Its budget and its retries are
 * tested without a clock: test/lib/aws/retry.unit.test.ts.
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
  file = await unpackBundle(folder, 'memberCheck');
});

/** The variables that name the services of a process. */
const SERVICES = { table: 'AWS_ENDPOINT_URL_DYNAMODB', secrets: 'AWS_ENDPOINT_URL_SECRETS_MANAGER' };
type Service = keyof typeof SERVICES;

/** Passes on the requests to a service. `answers` sees each first, and may answer it, or leave it without an answer. */
const startProxy = (target: string, answers: (response: ServerResponse) => boolean) =>
  serve(async (request, response) => {
    const { host, connection, 'content-length': length, ...headers } = request.headers as Record<string, string>;
    const body = await text(request);
    if (answers(response)) return;
    const forwarded = await fetch(target, { method: 'POST', headers, body });
    const type = forwarded.headers.get('content-type') ?? '';
    response.writeHead(forwarded.status, { 'content-type': type }).end(await forwarded.text());
  });

/**
 * Starts a process, and checks a member.
 *
 * @param failing A service that throttles until the check; if `hangs`, it never responds, to the check neither.
 * @returns The services' requests before the check and in all, and the check's response.
 */
async function run(environment: Record<string, string>, failing?: Service, hangs = false) {
  const requests = { table: 0, secrets: 0 };
  let fails = true;
  const proxies = Object.entries(SERVICES).map(async ([service, variable]) => {
    const { url, stop } = await startProxy(process.env[variable] as string, (response) => {
      requests[service as Service] += 1;
      if (service !== failing || !fails) return false;
      if (!hangs) response.writeHead(400).end('{"__type":"#ThrottlingException"}');
      return true;
    });
    return { stop, variable: [variable, url] };
  });
  const started = await Promise.all(proxies);
  let before: typeof requests | undefined;
  async function* check() {
    before = { ...requests };
    fails = hangs;
    yield event;
  }
  const urls = Object.fromEntries(started.map(({ variable }) => variable));
  const { calls } = await runBundle(file, check(), { ...environment, ...urls });
  await Promise.all(started.map(({ stop }) => stop()));
  return { before, requests, calls };
}

/** More than any machine needs, however busy. */
const NO_HURRY = { MEMBER_CHECK_MS: '60000' };

test('a process that Lambda initialises has the card key and has read the table before its first check', async () => {
  const { before, requests, calls } = await run({ ...ON_LAMBDA, ...NO_HURRY });
  expect([before, requests.secrets]).toEqual([{ table: 3, secrets: 1 }, 1]);
  expect(calls).toMatchObject([{ status: 200 }]);
  expect(await run(NO_HURRY)).toMatchObject({ before: { table: 0, secrets: 0 }, calls: [{ status: 200 }] });
});

test.each(['table', 'secrets'] as const)(
  'a process starts although its %s never responds, and says when to try again',
  async (service) => {
    const { calls } = await run({ ...ON_LAMBDA, MEMBER_CHECK_MS: '1000' }, service, true);
    expect(calls).toMatchObject([{ status: 400, retryAfter: expect.stringMatching(/^[1-5]$/) }]);
  },
);

test.each(['table', 'secrets'] as const)(
  'a check tries again what its process did not get from its %s',
  async (service) => {
    const { before, calls } = await run({ ...ON_LAMBDA, ...NO_HURRY }, service);
    expect(before?.[service]).toBeGreaterThan(1);
    expect(calls).toMatchObject([{ status: 200 }]);
  },
);
