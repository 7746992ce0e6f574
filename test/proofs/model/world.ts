import { randomUUID } from 'node:crypto';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type StoredEvent, toEvent } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../../lib/operator/referenceData.ts';
import { type Item, table } from '../../../lib/table/client.ts';
import { type ApiResponse as Sent, call as send } from '../../support/api.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { CURSOR } from './events.ts';
import { byPointer } from './responses.ts';
import {
  type ApiResponse,
  businessOf,
  type Call,
  type Card,
  type Cursor,
  type State,
  type Times,
  tidOf,
} from './state.ts';

// Makes events visible at once.
FEED.horizonMs = 0;

/**
 * Two distributors and three payment providers. Only some are partners, and their names of apps and acquirers differ.
 */
export const CAST = {
  D1: {
    type: 'DISTRIBUTOR',
    name: 'Northgate',
    partners: ['P1', 'P2'],
    paymentApps: ['Checkout Go', 'Counter Plus'],
    masterAcquirers: ['Atlantic Acquiring'],
  },
  D2: {
    type: 'DISTRIBUTOR',
    name: 'Café Connect',
    partners: ['P2'],
    paymentApps: ['Counter Plus'],
    masterAcquirers: ['Baltic Merchant Bank', 'Atlantic Acquiring'],
  },
  P1: {
    type: 'PAYMENT_PROVIDER',
    name: 'Payfair',
    partners: ['D1'],
    paymentApps: ['Counter Plus', 'Checkout Go'],
    masterAcquirers: ['Atlantic Acquiring'],
  },
  P2: {
    type: 'PAYMENT_PROVIDER',
    name: 'quickpay',
    partners: ['D1', 'D2'],
    paymentApps: ['Counter Plus', 'Desk'],
    masterAcquirers: [],
  },
  P3: {
    type: 'PAYMENT_PROVIDER',
    name: 'Trustcard',
    partners: [],
    paymentApps: ['Desk'],
    masterAcquirers: ['Baltic Merchant Bank'],
  },
} as const;
export type CastName = keyof typeof CAST;
export const CAST_NAMES = Object.keys(CAST) as CastName[];

const reward = (reward_id: string, currency: string, minimum_amount: number, from = '2020', until = '2999') => ({
  reward_id,
  name: `Reward ${reward_id}`,
  currency,
  minimum_amount,
  valid_from: `${from}-01-01T00:00:00.000Z`,
  expires_at: `${until}-01-01T00:00:00.000Z`,
});

/** All worlds share the members, because no partner can change them. */
const CARDS: Card[] = [
  {
    card_id: 'CARD1',
    card_pseudo_token: 'TOKEN1',
    rewards: [
      reward('R1', 'EUR', 0),
      reward('R2', 'EUR', 50),
      reward('R3', 'USD', 10),
      reward('R4', 'EUR', 0, '2020', '2021'),
      reward('R5', 'EUR', 0, '2998'),
    ],
  },
  { card_id: 'CARD2', card_pseudo_token: 'TOKEN2', rewards: [] },
];

/** Stores the members once for all worlds of a table. */
export async function addMembers(): Promise<void> {
  for (const { card_id, card_pseudo_token, rewards } of CARDS) {
    await addCard(card_id, { card_id, card_pseudo_token });
    for (const each of rewards) await addReward(card_id, each);
  }
}

/** The number of resources of each kind. */
export interface Pools {
  mids: number;
  terminals: number;
  serials: number;
  businesses: number;
}

/** The acquirers of one sequence, and the values of the names in its drafts. */
export interface World {
  /** API keys by acquirer. */
  keys: Map<string, string>;
  names: Map<string, string>;
  /** The state before the first call. */
  state: State;
  /** The calls so far. */
  calls: Call[];
  /** All cursors that responses have given. */
  cursors: Cursor[];
}

let worlds = 0;

/** Registers the acquirers of a new world. No other world has ids with its prefix. */
export async function newWorld(pools: Pools): Promise<World> {
  worlds += 1;
  const ids = Object.fromEntries(CAST_NAMES.map((name) => [name, randomUUID()])) as Record<CastName, string>;
  const registered = CAST_NAMES.map((cast) => {
    const { type, name, partners, paymentApps, masterAcquirers } = CAST[cast];
    return {
      id: ids[cast],
      type,
      name,
      partners: partners.map((partner) => ids[partner]),
      paymentApps: [...paymentApps],
      masterAcquirers: [...masterAcquirers],
    };
  });
  const issued = await Promise.all(
    registered.map(async ({ id, type, name, paymentApps, masterAcquirers }) => {
      await createAcquirer({ id, type, name });
      await Promise.all([
        addReferenceData(id, 'PAYMENT_APPS', paymentApps),
        addReferenceData(id, 'MASTER_ACQUIRERS', masterAcquirers),
      ]);
      return issueApiKey(id, 'model');
    }),
  );
  await Promise.all(
    registered.flatMap(({ id, type, partners }) =>
      type === 'DISTRIBUTOR' ? partners.map((provider) => linkPartners(id, provider)) : [],
    ),
  );
  const acquirers = registered.map((each, at) => ({
    ...each,
    key: { key_id: issued[at]?.key_id ?? '', key_label: 'model' },
  }));
  return {
    keys: new Map(registered.map(({ id }, at) => [id, issued[at]?.api_key ?? ''])),
    names: namesOf(pools, ids),
    state: { acquirers, cards: CARDS, businesses: [], branches: [], terminals: [], saved: [], changes: [] },
    calls: [],
    cursors: [],
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

function namesOf(pools: Pools, ids: Record<CastName, string>): Map<string, string> {
  const prefix = `W${worlds}`;
  return new Map([
    ...Object.entries(ids),
    // A MID may be a UUID. This one is derived from a name, so it is new in every world.
    ...numbers(pools.mids).map((n) => [`M${n}`, n === 2 ? tidOf(`${prefix}M2`) : `${prefix}M${n}`] as const),
    ['MID2', tidOf(`${prefix}M2`).toUpperCase()],
    ...numbers(pools.serials).map((n) => [`S${n}`, `${prefix}S${n}`] as const),
    ...numbers(pools.terminals).flatMap((n) => {
      const terminalId = `${prefix}T${n}`;
      const tid = tidOf(terminalId);
      return [[`T${n}`, terminalId] as const, [`tid${n}`, tid] as const, [`TID${n}`, tid.toUpperCase()] as const];
    }),
    ...numbers(pools.businesses).flatMap((n) => {
      const ofProviders = CAST_NAMES.map((cast) => [`${cast}.B${n}`, businessOf(ids[cast], `${prefix}B${n}`)] as const);
      return [[`B${n}`, `${prefix}B${n}`] as const, ...ofProviders];
    }),
  ]);
}

/** Replaces `<names>` by their values at any depth. */
export function filled<T>(value: T, names: Map<string, string>): T {
  if (value === undefined) return value;
  const text = JSON.stringify(value).replace(/<([\w.]+)>/g, (_, name) => {
    const meaning = names.get(name);
    if (meaning === undefined) throw new Error(`No value has the name ${name}.`);
    return meaning;
  });
  return JSON.parse(text);
}

/** A call with its response. */
export interface Done {
  call: Call;
  response: ApiResponse;
  times: Times;
  /** The cursor of the next page, if there is one. */
  more?: Cursor;
}

const UNKNOWN_KEY = 'apk_wrong';

/** Times of stored events by request id, because no response has the time at which a terminal was deleted. */
const eventTimes = new Map<string, string>();
table.middlewareStack.add(
  (next) => (args) => {
    const { TransactItems = [] } = args.input as TransactWriteCommandInput;
    for (const { Put } of TransactItems) {
      if (!Put?.Item?.['pk'].startsWith('EVENTS#')) continue;
      const { request_id, at } = toEvent(Put.Item as Item<StoredEvent>);
      eventTimes.set(request_id, at);
    }
    return next(args);
  },
  { step: 'initialize', name: 'eventTimes' },
);

/** Sends a call to its whole handler, and returns the response in the model's form. */
export async function perform(world: World, call: Call): Promise<Done> {
  const { operation, caller, cursor: _, ...request } = call;
  if (operation.endsWith('History')) await waitForIndexes();
  const began = new Date().toISOString();
  const sent = await send(operation, { ...request, key: caller ? world.keys.get(caller) : UNKNOWN_KEY });
  const ended = new Date().toISOString();
  const { data, meta } = sent.body;
  const request_id = sent.headers['x-request-id'] ?? '';
  const stated = meta?.up_to_date
    ? meta.complete_to
    : (data?.updated_at ?? data?.[0]?.updated_at ?? eventTimes.get(request_id) ?? '');
  const place = meta?.up_to_date ? meta.complete_to : [data].flat().at(-1)?.id;
  const next = typeof meta?.next === 'string' && { operation, caller, path: call.path, text: meta.next, place };
  if (next) world.cursors.push(next);
  const times = { began, ended, stated, request_id };
  return { call, response: responseOf(sent), times, ...(next && !meta.up_to_date && { more: next }) };
}

function responseOf({ status, headers, body }: Sent): ApiResponse {
  const { request_id, ...rest } = body;
  // The other headers are checked when the request is sent.
  if (request_id !== undefined && request_id !== headers['x-request-id']) throw new Error('Not the id of this request');
  rest.errors?.sort(byPointer);
  // Its text can be any.
  if (typeof rest.meta?.next === 'string') rest.meta = { ...rest.meta, next: CURSOR };
  const isReplayed = headers['idempotent-replayed'] === 'true';
  return { status, location: headers['location'] ?? null, isReplayed, body: rest };
}
