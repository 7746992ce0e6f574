import { randomUUID } from 'node:crypto';
import { hashOf } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../../lib/operator/referenceData.ts';
import { getItem } from '../../../lib/table/client.ts';
import { providerKey } from '../../../lib/table/keys.ts';
import { copied } from '../../support/copied.ts';
import type { Operation, Request, ApiResponse as Sent } from '../../support/invoke.ts';
import '../../../infra/local/patient.ts';
import { CURSOR } from './events.ts';
import { byPointer, ok } from './responses.ts';
import {
  type Acquirer,
  type ApiResponse,
  businessOf,
  type Call,
  type Card,
  type Cursor,
  type State,
  type Times,
  TURN_PARTNERSHIP,
  tidOf,
} from './state.ts';

export type CastName = 'D1' | 'D2' | 'P1' | 'P2' | 'P3';
type Role = Omit<Acquirer, 'id' | 'key_id' | 'partners'> & { partners: CastName[] };

const roleOf =
  (type: Acquirer['type']) =>
  (name: string, partners: CastName[], paymentApps: string[], masterAcquirers: string[]): Role => {
    return { type, name, partners, paymentApps, masterAcquirers };
  };
const [distributor, provider] = [roleOf('DISTRIBUTOR'), roleOf('PAYMENT_PROVIDER')];

/** Only some are partners, and their names of apps and acquirers differ. */
export const CAST: Record<CastName, Role> = {
  D1: distributor('Northgate', ['P1', 'P2'], ['Checkout Go', 'Counter Plus'], ['Atlantic Acquiring']),
  D2: distributor('Café Connect', ['P2'], ['Counter Plus'], ['Baltic Merchant Bank', 'Atlantic Acquiring']),
  P1: provider('Payfair', ['D1'], ['Counter Plus', 'Checkout Go'], ['Atlantic Acquiring']),
  P2: provider('quickpay', ['D1', 'D2'], ['Counter Plus', 'Desk'], []),
  P3: provider('Trustcard', [], ['Desk'], ['Baltic Merchant Bank']),
};
export const CAST_NAMES = Object.keys(CAST) as CastName[];

/** The number of resources of each kind: few, so calls conflict. */
export const POOLS = { mids: 5, terminals: 6, serials: 2, businesses: 3 };

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

/** Sends a request to the service. */
export type Send = (operation: Operation, request: Request) => Promise<Sent>;

/** The acquirers of one sequence, and the values of the names in its drafts. */
export interface World {
  send: Send;
  /** The API key of each acquirer's requests. */
  callers: Map<string, Pick<Request, 'key'>>;
  names: Map<string, string>;
  /** The state before the first call. */
  state: State;
  /** The calls so far. */
  calls: Call[];
  /** All cursors that responses have given. */
  cursors: Cursor[];
}

/** Registers the acquirers of the cast. */
const newCast = copied(async () => {
  const register = async (name: CastName) => {
    const { type, paymentApps, masterAcquirers } = CAST[name];
    const id = randomUUID();
    await createAcquirer({ id, type, name: CAST[name].name });
    await addReferenceData(id, 'PAYMENT_APPS', paymentApps);
    await addReferenceData(id, 'MASTER_ACQUIRERS', masterAcquirers);
    return [name, { id, key: (await issueApiKey(id, 'model')).api_key }] as const;
  };
  const cast = Object.fromEntries(await Promise.all(CAST_NAMES.map(register))) as Record<CastName, Registered>;
  for (const name of CAST_NAMES)
    if (CAST[name].type === 'DISTRIBUTOR')
      for (const provider of CAST[name].partners) await linkPartners(cast[name].id, cast[provider].id);
  return cast;
});
type Registered = { id: string; key: string };

let worlds = 0;

/** Registers the acquirers of a new world. No other world of the process has ids with its prefix. */
export async function newWorld(send: Send): Promise<World> {
  const prefix = `W${++worlds}`;
  const cast = await newCast();
  const acquirers = CAST_NAMES.map((name): Acquirer => {
    const { partners, ...role } = CAST[name];
    const { id, key } = cast[name];
    return { ...role, id, partners: partners.map((each) => cast[each].id), key_id: hashOf(key).slice(0, 12) };
  });
  const callers = new Map(Object.values(cast).map(({ id, key }) => [id, { key }]));
  const state = {
    acquirers,
    cards: CARDS,
    businesses: [],
    branches: [],
    terminals: [],
    saved: [],
    changes: [],
    released: {},
  };
  return { send, callers, names: namesOf(prefix, cast), state, calls: [], cursors: [] };
}

function namesOf(prefix: string, cast: Record<CastName, Registered>): Map<string, string> {
  const names = new Map(CAST_NAMES.map((name): [string, string] => [name, cast[name].id]));
  const each = (most: number, name: (n: number) => void) => Array.from({ length: most }, (_, at) => name(at + 1));
  // A MID may be a UUID. This one is derived from a name, so it is new in every world.
  const mid2 = tidOf(`${prefix}M2`);
  each(POOLS.mids, (n) => names.set(`M${n}`, n === 2 ? mid2 : `${prefix}M${n}`));
  names.set('MID2', mid2.toUpperCase());
  each(POOLS.serials, (n) => names.set(`S${n}`, `${prefix}S${n}`));
  each(POOLS.terminals, (n) => {
    const tid = tidOf(`${prefix}T${n}`);
    names.set(`T${n}`, `${prefix}T${n}`).set(`tid${n}`, tid).set(`TID${n}`, tid.toUpperCase());
  });
  each(POOLS.businesses, (n) => {
    names.set(`B${n}`, `${prefix}B${n}`);
    for (const name of CAST_NAMES) names.set(`${name}.B${n}`, businessOf(cast[name].id, `${prefix}B${n}`));
  });
  return names;
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

/** Sends a call, and returns the response in the model's form. */
export async function perform({ send, callers, cursors }: World, call: Call): Promise<Done> {
  const { operation, caller, cursor: _, ...request } = call;
  const by = callers.get(caller);
  const began = Date.now();
  if (operation === TURN_PARTNERSHIP) {
    await turnPartnership(call.path as { distributor: string; provider: string });
    return { call, response: ok(null), times: { began: '', ended: '', stated: '', request_id: '' } };
  }
  const sent = await send(operation, { ...request, ...by });
  const ended = Date.now();
  const { data, meta } = sent.body;
  const request_id = sent.headers['x-request-id'] ?? '';
  let stated = meta?.up_to_date ? meta.complete_to : (data?.updated_at ?? data?.[0]?.updated_at ?? '');
  if (operation === 'deleteTerminal' && data) {
    // Only the history has the time of a deletion.
    const { body } = await send('getTerminalHistory', { ...by, path: call.path });
    stated = body.data?.find((event: { request_id: string }) => event.request_id === request_id)?.at ?? '';
  }
  const place = meta?.up_to_date
    ? meta.complete_to
    : [data]
        .flat()
        .map((each) => each?.id ?? each?.tid)
        .at(-1);
  const next = typeof meta?.next === 'string' && { operation, caller, path: call.path, text: meta.next, place };
  if (next) cursors.push(next);
  const times = { began: new Date(began).toISOString(), ended: new Date(ended).toISOString(), stated, request_id };
  return { call, response: responseOf(sent), times, ...(next && !meta.up_to_date && { more: next }) };
}

async function turnPartnership({ distributor, provider }: { distributor: string; provider: string }): Promise<void> {
  const isPartner = await getItem(providerKey(distributor, provider));
  await (isPartner ? unlinkPartners : linkPartners)(distributor, provider);
}

function responseOf({ status, headers, body }: Sent): ApiResponse {
  const { request_id, ...rest } = body;
  // The other headers are checked when the request is sent.
  if (request_id !== undefined && request_id !== headers['x-request-id']) throw new Error('Not the id of this request');
  rest.errors?.sort(byPointer);
  // No change and no time of the model.
  for (const each of [rest.data].flat()) delete each?.last_seen_at;
  // Its text can be any.
  if (typeof rest.meta?.next === 'string') rest.meta = { ...rest.meta, next: CURSOR };
  const isReplayed = headers['idempotent-replayed'] === 'true';
  return { status, location: headers['location'] ?? null, isReplayed, body: rest };
}
