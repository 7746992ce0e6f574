import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command } from 'commander';
import { startEngine } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { createTable } from '../../infra/local/table.ts';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import type { Recovery, Step } from '../../infra/operate/recovery/steps.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/operate/shutdown.ts';
import type { Operation, Request } from '../../infra/publish/contract/invoke.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { clientOf, itemsOf, type LocalRegion, localCloud, write } from './region.ts';

/*
 * Rehearses `npm run recover` on two engines: a restore to a point in time, and the failover to another Region with a
 * copy of the same point. Calls in several lanes come before the point and after it. At the end it compares what was
 * acknowledged with what is there.
 */

const { seconds } = new Command('npx node test/soak/recovery.ts --')
  .description('Rehearses a restore and a failover on two local engines.')
  .addOption(option('--seconds <number>', 'load the first engine for so many seconds', wholeNumber).default(20))
  .parse()
  .opts<{ seconds: number }>();

const PROD = 'acquirer-partner-api-prod';
const STANDBY = 'acquirer-partner-api-standby';
const LANES = 3;
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** What is not as it must be. */
const faults: string[] = [];
function expect(what: string, is: unknown, expected: unknown): void {
  const isRight = JSON.stringify(is) === JSON.stringify(expected);
  print(`  ${isRight ? 'ok    ' : 'FAULT '} ${what}: ${JSON.stringify(is)}`);
  if (!isRight) faults.push(what);
}

async function rehearse(): Promise<void> {
  const [first, second] = await Promise.all([startEngine(), startEngine()]);
  const store = await startSecretStore(LOCAL_SECRETS);
  stops.push(first.stop, second.stop, store.stop);
  Object.assign(process.env, LOCAL_ENVIRONMENT, {
    AWS_ENDPOINT_URL_DYNAMODB: first.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint,
    BASE_URL: 'https://api.example.com',
    LOG_LEVEL: 'ERROR',
    TABLE_NAME: PROD,
  });
  await createTable(PROD);

  // The service's modules, which read the environment.
  const { invoke, eventOf } = await import('../../infra/publish/contract/invoke.ts');
  const service = await import('../../infra/operate/cli/service.ts');
  const { lowerRights } = await import('../../infra/operate/recovery/rights.ts');
  const { FAILOVER_STEPS, RESTORE_STEPS, recover, Waiting } = await import('../../infra/operate/recovery/steps.ts');
  const { limitsOf } = await import('../../infra/operate/recovery/settings.ts');
  const { API_OPERATIONS, readyRequest, subjectOf } = await import('../../infra/publish/contract/calls.ts');
  const { toEvent } = await import('../../lib/events/event.ts');
  const { isDelivering, readWebhooks } = await import('../../lib/webhooks/webhook.ts');
  const { storeWebhook } = await import('../support/webhooks.ts');
  const { webhookKey } = await import('../../lib/table/keys.ts');
  const { remove, transact } = await import('../../lib/table/transaction.ts');
  service.actAs(async () => 'rehearsal');

  /** The requests that the service acknowledged, by their ids. */
  const acknowledged: string[] = [];
  const send = async (operation: Operation, request: Request) => {
    const response = await invoke(operation, eventOf(operation, request));
    if (response.status < 300) acknowledged.push(response.headers['x-request-id'] as string);
    return response;
  };

  /** An acquirer whose API key is revoked, a member who is erased, and a webhook that is deleted, before or after the point. */
  const cast = async (name: string) => {
    const id = randomUUID();
    await service.createAcquirer({ id, type: 'PAYMENT_PROVIDER', name });
    const [revoked, kept] = [await service.issueApiKey(id, 'revoked'), await service.issueApiKey(id, 'kept')];
    await service.addCard(name, { card_id: name, card_pseudo_token: name });
    for (const slot of [1, 2]) await storeWebhook({ id }, 'https://receiver.example.com', { slot });
    const codeOf = async (key: string) => (await send('listBranches', { key })).body.code ?? 'none';
    return {
      id,
      takeAway: async () => {
        await service.revokeApiKey(id, revoked.key_id);
        await service.eraseMember(name);
        await transact([remove(webhookKey(id, 1))]);
      },
      left: async () => {
        const names = (await itemsOf(service.table, service.tableName())).map(({ pk }) => pk);
        const hashes = [kept, revoked].map(({ api_key }) => names.includes(`API_KEY#${service.hashOf(api_key)}`));
        const webhooks = (await readWebhooks(id)).map(({ sk }) => sk);
        return { kept: hashes[0], revoked: hashes[1], member: names.includes(`MEMBER#${name}`), webhooks };
      },
      /** The code of a problem with each key. Once, because a process caches valid keys. */
      codes: async () => [await codeOf(kept.api_key), await codeOf(revoked.api_key)],
    };
  };
  const LEFT = { kept: true, revoked: false, member: false, webhooks: ['SLOT#2'] };
  const [early, late] = [await cast('early'), await cast('late')];
  await early.takeAway();

  const provider = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'load' } as const;
  await service.createAcquirer(provider);
  await service.addReferenceData(provider.id, 'PAYMENT_APPS', ['Checkout Go']);
  await service.addReferenceData(provider.id, 'MASTER_ACQUIRERS', ['Atlantic Acquiring']);
  const { api_key: key } = await service.issueApiKey(provider.id, 'load');
  let subjects = 0;
  /** Half of the load: every operation, again and again, in several lanes. */
  async function load(): Promise<void> {
    const end = performance.now() + seconds * 500;
    const lane = async () => {
      do {
        for (const operation of API_OPERATIONS) {
          const subject = subjectOf(`N${subjects++}`, provider);
          const sendOwn = (each: Operation, request: Request) => send(each, { key, ...request });
          await sendOwn(operation, await readyRequest(operation, subject, sendOwn));
        }
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  print(`Load for ${seconds} s.`);
  const direct = clientOf(first.endpoint);
  await load();
  const copy = await itemsOf(direct, PROD);
  const at = Date.now();
  const before = new Set(acknowledged);
  // Right after the point, a transaction of which a restore can have a part.
  const terminals = ['CUT1', 'CUT2', 'CUT3'].map((terminal_id) => ({ terminal_id }));
  await send('createBranch', { key, body: { mid: 'CUT', master_merchant_id: 'CUT', terminals } });
  const names = new Set(copy.map(({ pk, sk }) => `${pk} ${sk}`));
  const added = (await itemsOf(direct, PROD)).filter(({ pk, sk }) => !names.has(`${pk} ${sk}`));
  const cut = [...copy, ...added.filter((_, place) => place % 2 === 0)];
  await late.takeAway();
  await load();

  /** The requests that changed something, in a table. */
  const changesIn = async (client: DynamoDBDocumentClient, table: string): Promise<string[]> =>
    (await itemsOf(client, table)).flatMap((item) =>
      /^EVENTS#/.test(String(item['pk'])) ? toEvent(item as unknown as Parameters<typeof toEvent>[0]).request_id : [],
    );
  const made = new Set(await changesIn(direct, PROD));
  const kept = made.intersection(before);
  print(`${kept.size} changes were acknowledged before the point, ${made.size - kept.size} after it.`);
  if (kept.size === 0 || made.size === kept.size) faults.push('the load changed nothing');

  const limits = await limitsOf('prod');
  function recoveryOf(region: LocalRegion, source: Recovery['source'], into: string): Recovery {
    const cloud = localCloud(region, async () => {
      if (region.isClosed) return '429 without a code';
      process.env['TABLE_NAME'] = region.tableInUse;
      const { status, body } = await send('listBranches', {});
      process.env['TABLE_NAME'] = into;
      return `${status} ${body.code}`;
    });
    process.env['TABLE_NAME'] = into;
    const data = {
      reach: async () => {},
      audit: () => service.audit(service.table, into, Number.NEGATIVE_INFINITY),
      rehash: () => service.rehashRestored(),
      lowerRights: () => lowerRights(direct, PROD, null),
      repeatErasures: async () => service.repeatErasures(await service.listErasures(PROD)),
    };
    return { cloud, data, source, into, limits, acceptsViolations: false, starts: 'start', pollMs: 100 };
  }
  /** Runs the steps until they wait for somebody, and says for what. */
  const untilWaiting = async (steps: Step[], recovery: Recovery): Promise<void> => {
    const waiting = await recover(steps, recovery, print).catch((error) => error);
    if (!(waiting instanceof Waiting)) throw waiting ?? new Error('The steps waited for nobody.');
    print(waiting.message);
  };
  /** Runs the steps, deploys when they wait for that, and compares what came of them. */
  async function rehearsed(steps: Step[], recovery: Recovery, region: LocalRegion, client: DynamoDBDocumentClient) {
    await untilWaiting(steps, recovery);
    expect('traffic is stopped, and alarms are muted', [region.isClosed, region.pages], [true, false]);
    region.tableInUse = recovery.into;
    await recover(steps, recovery, print);
    expect('traffic runs, and alarms page', [region.isClosed, region.pages], [false, true]);
    const lost = kept.difference(new Set(await changesIn(client, recovery.into)));
    expect('changes lost that were acknowledged before the point', lost.size, 0);
    expect('what is left of what was taken away before the point', await early.left(), LEFT);
    const delivering = async () => (await readWebhooks(early.id)).map(isDelivering);
    expect('whether its webhook delivers', await delivering(), [false]);
    await service.resumeRestored();
    expect('whether it does once it is resumed', await delivering(), [true]);
    expect('audit of the table in use', (await recovery.data.audit()).broken, []);
  }

  const [point, cutPoint] = [new Date(at), new Date(at + 1000)];
  const points = new Map([
    [point.toISOString(), (into: string) => write(direct, into, copy)],
    [cutPoint.toISOString(), (into: string) => write(direct, into, cut)],
  ]);
  const region: LocalRegion = { points, tables: new Set(), isClosed: false, pages: true, tableInUse: PROD };

  print('\nRestore to a second in which a transaction was cut:');
  await untilWaiting(RESTORE_STEPS, recoveryOf(region, { from: PROD, at: cutPoint }, `${PROD}-cut`));

  print('\nRestore to another second:');
  const restore = recoveryOf(region, { from: PROD, at: point }, `${PROD}-2`);
  await rehearsed(RESTORE_STEPS, restore, region, direct);
  expect('problems with a kept and a revoked key', await late.codes(), ['none', 'invalid_api_key']);
  expect('what is left of what was taken away after the point', await late.left(), LEFT);
  const { api_key } = await service.issueApiKey(late.id, 'since');
  await recover(RESTORE_STEPS, restore, () => {});
  expect('status with a key issued since', (await send('listBranches', { key: api_key })).status, 200);

  print('\nThe first Region is lost. Failover with a copy of the same point:');
  await first.stop();
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = second.endpoint;
  const { hostname, port } = new URL(second.endpoint);
  service.table.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { hostname, port: Number(port) });
      return next(args);
    },
    { step: 'build', name: 'elsewhere' },
  );
  const elsewhere = clientOf(second.endpoint);
  await createTable(STANDBY);
  const copies = new Map([['arn:copy', (into: string) => write(elsewhere, into, copy)]]);
  const standby: LocalRegion = { points: copies, tables: new Set(), isClosed: true, pages: true, tableInUse: STANDBY };
  const source = { recoveryPoint: 'arn:copy', roleArn: 'arn:role' };
  const failover = recoveryOf(standby, source, `${STANDBY}-2`);
  await rehearsed(FAILOVER_STEPS, failover, standby, elsewhere);
  expect('problems with a kept and a revoked key', await early.codes(), ['none', 'invalid_api_key']);
  print(`  to be taken away again by hand, as done after the point: ${JSON.stringify(await late.left())}`);
}

shutDownOnSignals(1, 'Interrupted.\n');
rehearse().then(() => {
  print(faults.length === 0 ? '\nThe rehearsal went well.' : `\n${faults.length} faults: ${faults.join('; ')}`);
  return shutDown(faults.length === 0 ? 0 : 1);
}, fail);
