import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteItemCommand,
  type DeleteItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command } from 'commander';
import { startEngine } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { createTable } from '../../infra/local/table.ts';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import type { Recovery } from '../../infra/operate/recovery/steps.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/operate/shutdown.ts';
import type { Operation, Request } from '../../infra/publish/contract/invoke.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { clientOf, itemsOf, type LocalRegion, localCloud, type SentStep, startDoor, write } from './region.ts';

/*
 * Rehearses `npm run recover` on two engines: a restore to a point in time, and the failover to another Region with a copy of
 * the same point. Random calls in several lanes load the first engine meanwhile. At the end it compares what was acknowledged
 * with what is there.
 */

const { seconds, seed } = new Command('npm run rehearse --')
  .description('Rehearses a restore and a failover on two local engines, under load.')
  .addOption(option('--seconds <number>', 'load the first engine for so many seconds', wholeNumber).default(20))
  .addOption(
    option('--seed <number>', 'make the choices of an earlier rehearsal', wholeNumber).default(
      randomInt(1, 1e6),
      'random',
    ),
  )
  .parse()
  .opts<{ seconds: number; seed: number }>();

const PROD = 'acquirer-partner-api-prod';
/** Requests that must succeed before the point, and after it, however busy the machine is. */
const LEAST = 40;

/** Few, because the steps and not the load are rehearsed. */
const LANES = 3;

const STANDBY = 'acquirer-partner-api-standby';
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
  stops.push(first.stop, second.stop);
  const door = await startDoor(first.endpoint);
  const store = await startSecretStore(LOCAL_SECRETS);
  stops.push(door.stop, store.stop);
  Object.assign(process.env, LOCAL_ENVIRONMENT, {
    AWS_ENDPOINT_URL_DYNAMODB: door.url,
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
  const { runLanes } = await import('./lanes.ts');
  const { toEvent } = await import('../../lib/events/event.ts');
  const { FEED } = await import('../../lib/events/feed.ts');
  service.actAs(async () => 'rehearsal');
  // The model shows events at once.
  const { horizonMs } = FEED;
  FEED.horizonMs = 0;

  /** When the service acknowledged each request, by its id. */
  const acknowledged = new Map<string, number>();
  const send = async (operation: Operation, request: Request) => {
    const response = await invoke(operation, eventOf(operation, request));
    if (response.status < 300) acknowledged.set(response.headers['x-request-id'] as string, Date.now());
    return response;
  };

  /** Somebody of each kind who loses a right or is erased, before or after the point. */
  const cast = async (name: string) => {
    const id = randomUUID();
    await service.createAcquirer({ id, type: 'PAYMENT_PROVIDER', name });
    const revoked = await service.issueApiKey(id, 'revoked');
    const kept = await service.issueApiKey(id, 'kept');
    const disabled = randomUUID();
    await service.createAcquirer({ id: disabled, type: 'PAYMENT_PROVIDER', name: `${name}, disabled` });
    const ofDisabled = await service.issueApiKey(disabled, 'disabled');
    const distributor = randomUUID();
    await service.createAcquirer({ id: distributor, type: 'DISTRIBUTOR', name: `${name}, unlinked` });
    await service.linkPartners(distributor, id);
    const [lost, gone] = [`${name}-lost`, `${name}-gone`];
    for (const member of [lost, gone]) await service.addCard(member, { card_id: member, card_pseudo_token: member });
    return {
      id,
      kept,
      gone,
      keys: { revoked, ofDisabled },
      takeAway: async () => {
        await service.revokeApiKey(id, revoked.key_id);
        await service.disableAcquirer(disabled);
        await service.unlinkPartners(distributor, id);
        await service.setCardBlocked(lost, { card_id: lost }, true);
        await service.eraseMember(gone);
      },
      /** What is left of their rights. */
      left: async () => {
        const items = await itemsOf(service.table, service.tableName());
        const hasKey = (key: string) => items.some(({ pk }) => pk === `API_KEY#${service.hashOf(key)}`);
        return {
          revoked: hasKey(revoked.api_key),
          disabled: hasKey(ofDisabled.api_key),
          linked: items.some(({ pk, sk }) => pk === `PAYMENT_PROVIDERS#${distributor}` && sk === id),
          cardWorks: items.some(
            ({ pk, member_id, blocked_at }) => /^CARD#/.test(`${pk}`) && member_id === lost && !blocked_at,
          ),
          memberIsThere: items.some(({ pk }) => pk === `MEMBER#${gone}`),
        };
      },
    };
  };
  const NONE = { revoked: false, disabled: false, linked: false, cardWorks: false, memberIsThere: false };
  const [early, late] = [await cast('early'), await cast('late')];
  await early.takeAway();

  // The load, and in its middle the point.
  print(`Load for ${seconds} s, with the choices of seed ${seed}.`);
  const direct = clientOf(first.endpoint);
  const began = performance.now();
  const hasHadLoad = (part: number, more: number) =>
    performance.now() - began > part * seconds * 1000 && acknowledged.size >= more;
  let enough = Number.POSITIVE_INFINITY;
  const load = (async () => {
    const all = { courses: 0, failures: [] as string[], cutShort: 0 };
    const isEnough = () => hasHadLoad(1, enough) && severalIn(door.recorded()) !== undefined;
    // A course ends if a request fails. On a busy machine, one may take too long.
    for (let more = seed; !isEnough(); more += 1) {
      const { courses, failures } = await runLanes(send, isEnough, more, LANES);
      all.courses += courses;
      const unexplained = failures.filter((each) => !each.includes('server_error'));
      all.failures.push(...unexplained);
      all.cutShort += failures.length - unexplained.length;
    }
    return all;
  })();
  while (!hasHadLoad(0.5, LEAST)) await sleep(10);
  const { copy, at } = await door.quiet(async () => ({ copy: await itemsOf(direct, PROD), at: Date.now() }));
  enough = acknowledged.size + LEAST;
  await late.takeAway();
  const { courses, failures, cutShort } = await load;
  FEED.horizonMs = horizonMs;
  expect('responses that the model cannot explain', failures, []);

  // A second point, which has every other item of a transaction that came right after the first.
  const cut = cutOf(severalIn(door.recorded()));
  /** The requests that changed something, in a table. */
  const changesIn = async (client: DynamoDBDocumentClient, table: string) =>
    new Set(
      (await itemsOf(client, table)).flatMap((item) =>
        /^EVENTS#/.test(String(item['pk'])) ? toEvent(item as unknown as Parameters<typeof toEvent>[0]).request_id : [],
      ),
    );
  const made = await changesIn(direct, PROD);
  const before = [...made].filter((id) => (acknowledged.get(id) ?? Number.POSITIVE_INFINITY) <= at);
  const since = [...made].filter((id) => (acknowledged.get(id) ?? 0) > at);
  const ended = cutShort > 0 ? `, and ${cutShort} that a server_error ended` : '';
  print(
    `${courses} courses${ended}. ${before.length} changes were acknowledged before the point, ${since.length} after it.`,
  );
  if (before.length === 0 || since.length === 0) faults.push('The load is too short.');

  const limits = await limitsOf('prod');
  const recoveryOf = (
    region: LocalRegion,
    client: DynamoDBDocumentClient,
    source: Recovery['source'],
    into: string,
  ): Recovery => {
    const cloud = localCloud(region, client, async () => {
      if (region.isClosed) return '429 without a code';
      process.env['TABLE_NAME'] = region.tableInUse;
      const { status, body } = await send('listBranches', {});
      process.env['TABLE_NAME'] = into;
      return `${status} ${body.code}`;
    });
    process.env['TABLE_NAME'] = into;
    return {
      cloud,
      source,
      into,
      limits,
      acceptsViolations: false,
      pollMs: 100,
      data: {
        audit: () => service.audit(service.table, into, Number.NEGATIVE_INFINITY),
        rehash: () => service.rehashRestored(),
        lowerRights: () => lowerRights(direct, PROD, null),
        repeatErasures: async () => service.repeatErasures(await service.listErasures(PROD)),
      },
    };
  };
  const whatIsLeft = async (client: DynamoDBDocumentClient, table: string) => {
    const found = await changesIn(client, table);
    const lost = (ids: string[]) => ids.filter((id) => !found.has(id)).length;
    expect('changes lost that were acknowledged before the point', lost(before), 0);
    print(`  lost, as acknowledged after the point: ${lost(since)} of ${since.length}`);
    expect('what is left of rights taken away before the point', await early.left(), NONE);
  };

  const point = new Date(at);
  const cutPoint = new Date(at + 1000);
  const region: LocalRegion = {
    points: new Map([
      [point.toISOString(), (into) => write(direct, into, copy)],
      [
        cutPoint.toISOString(),
        async (into) => {
          await write(direct, into, copy);
          await cut(direct, into);
        },
      ],
    ]),
    isClosed: false,
    pages: true,
    tableInUse: PROD,
  };

  print('\nRestore to a second in which a transaction was cut:');
  const wrong = recoveryOf(region, direct, { from: PROD, at: cutPoint }, `${PROD}-cut`);
  await recover(RESTORE_STEPS, wrong, print).then(
    () => faults.push('The audit has not seen the cut transaction.'),
    (error) => {
      if (!(error instanceof Waiting)) throw error;
      print(error.message);
    },
  );

  print('\nRestore to another second:');
  const restore = recoveryOf(region, direct, { from: PROD, at: point }, `${PROD}-2`);
  /** Runs the steps until they wait for the deployment, and deploys. */
  const untilDeployed = (steps: typeof RESTORE_STEPS, recovery: Recovery, stage: LocalRegion) =>
    recover(steps, recovery, print).catch((error) => {
      if (!(error instanceof Waiting)) throw error;
      print(`${error.message}\n(deployed)`);
      stage.tableInUse = recovery.into;
    });
  await untilDeployed(RESTORE_STEPS, restore, region);
  expect('traffic is stopped until then', region.isClosed, true);
  expect('alarms are muted until then', region.pages, false);
  await recover(RESTORE_STEPS, restore, print);
  expect('traffic is stopped', region.isClosed, false);
  expect('alarms page', region.pages, true);
  const { api_key } = await service.issueApiKey(late.id, 'since');
  await recover(RESTORE_STEPS, restore, () => {});
  expect(
    'running it again takes away nothing that was given since',
    (await send('listBranches', { key: api_key })).status,
    200,
  );
  await whatIsLeft(direct, `${PROD}-2`);
  expect('what is left of rights taken away after the point', await late.left(), NONE);
  expect('a kept key lists branches', (await send('listBranches', { key: late.kept.api_key })).status, 200);
  expect(
    'a revoked key',
    (await send('listBranches', { key: late.keys.revoked.api_key })).body.code,
    'invalid_api_key',
  );
  expect('audit of the table in use', (await restore.data.audit()).broken, []);

  print('\nThe first Region is lost. Failover with a copy of the same point:');
  await first.stop();
  door.goTo(second.endpoint);
  const elsewhere = clientOf(second.endpoint);
  await createTable(STANDBY);
  const standby: LocalRegion = {
    points: new Map([['arn:copy', (into) => write(elsewhere, into, copy)]]),
    isClosed: true,
    pages: true,
    tableInUse: STANDBY,
  };
  const copyOf = { recoveryPoint: 'arn:copy', roleArn: 'arn:role' };
  const failover = recoveryOf(standby, elsewhere, copyOf, `${STANDBY}-2`);
  await untilDeployed(FAILOVER_STEPS, failover, standby);
  await recover(FAILOVER_STEPS, failover, print);
  expect('traffic is stopped', standby.isClosed, false);
  await whatIsLeft(elsewhere, `${STANDBY}-2`);
  print(`  to be taken away again by hand, as done after the point: ${JSON.stringify(await late.left())}`);
  expect('a kept key lists branches', (await send('listBranches', { key: early.kept.api_key })).status, 200);
  expect(
    'a key revoked before',
    (await send('listBranches', { key: early.keys.revoked.api_key })).body.code,
    'invalid_api_key',
  );
  expect('audit of the table in use', (await failover.data.audit()).broken, []);
}

const COMMANDS: Record<string, (step: never) => PutItemCommand | UpdateItemCommand | DeleteItemCommand> = {
  Put: (step: PutItemCommandInput) => new PutItemCommand(step),
  Update: (step: UpdateItemCommandInput) => new UpdateItemCommand(step),
  Delete: (step: DeleteItemCommandInput) => new DeleteItemCommand(step),
};

/** The key of an item that is written, as it is sent. */
const keyOf = ({ Item, Key = Item }: SentStep[string]) => {
  const { pk, sk } = Key as Record<string, unknown>;
  return JSON.stringify([pk, sk]);
};

/** The writes of the first transaction that has several and whose items no other had written before. */
function severalIn(transactions: SentStep[][]) {
  const written = new Set<string>();
  return transactions
    .map((steps) => steps.flatMap((step) => Object.entries(step).filter(([kind]) => kind in COMMANDS)))
    .find((writes) => {
      const keys = writes.map(([, write]) => keyOf(write));
      const isFirst = !keys.some((key) => written.has(key));
      for (const key of keys) written.add(key);
      return isFirst && writes.length >= 6;
    });
}

/** Applies every other write of a transaction. */
const cutOf =
  (writes: ReturnType<typeof severalIn> = []) =>
  async (client: DynamoDBDocumentClient, TableName: string) => {
    for (const [kind, write] of writes.filter((_, at) => at % 2 === 0)) {
      const { ReturnValuesOnConditionCheckFailure: _, ...request } = write;
      await client.send(COMMANDS[kind]?.({ ...request, TableName } as never) as PutItemCommand);
    }
  };

shutDownOnSignals(1, 'Interrupted.\n');
rehearse().then(() => {
  print(faults.length === 0 ? '\nThe rehearsal went well.' : `\n${faults.length} faults: ${faults.join('; ')}`);
  return shutDown(faults.length === 0 ? 0 : 1);
}, fail);
