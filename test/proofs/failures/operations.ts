import { createHash, randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ACCESS } from '../../../infra/template/definitions.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { DICTIONARY } from '../../../lib/events/event.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { addReferenceData } from '../../../lib/operator/referenceData.ts';
import { table, tableName } from '../../../lib/table/client.ts';
import { historyOf, masterMerchantEntryKey, masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { call, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { readable, stored, writable } from '../../support/stored.ts';
import { type Caller, newBranch, newTerminal } from '../../support/world.ts';

/**
 * Whether an operation has a permission for such an action, apart from its caller's rate limit, which every operation
 * updates.
 */
const allows = (operation: Operation, action: RegExp) =>
  Object.entries(ACCESS[operation] ?? {}).some(
    ([resource, actions]) => resource !== 'RATE_LIMIT' && actions.some((each) => action.test(each)),
  );

/** Operations that write. A list only seals, now and then. */
export const WRITES: Operation[] = OPERATIONS.filter(
  (operation) => operation !== 'listBranches' && allows(operation, /^(Put|Update|Delete)Item$/),
);
export const READS: Operation[] = OPERATIONS.filter((operation) => !WRITES.includes(operation));
/**
 * Operations that only sometimes read a batch: lists, for what their index does not show; a find, for master merchants; a
 * terminal's history, for the creation of several terminals.
 */
const SOMETIMES: Operation[] = ['listBranches', 'listTerminals', 'find', 'getTerminalHistory'];
/** Operations that always read a batch. */
export const BATCH_READS: Operation[] = OPERATIONS.filter(
  (operation) => !SOMETIMES.includes(operation) && allows(operation, /^BatchGetItem$/),
);
export const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];

const MEMBER = randomUUID();
const CARD = { card_id: 'card of the member', card_pseudo_token: 'token of the card' };

/** Stores the member of all member checks. */
export async function newMember(): Promise<void> {
  await addCard(MEMBER, CARD);
  await addReward(MEMBER, {
    reward_id: 'R1',
    name: 'Coffee',
    currency: 'EUR',
    minimum_amount: 1,
    valid_from: '2026-01-01T00:00:00.000Z',
    expires_at: '2999-01-01T00:00:00.000Z',
  });
}

/** A payment provider with one request. All its items and ids contain `tag`. */
export interface Prepared {
  tag: string;
  caller: Caller;
  request: Request;
}

type Prepare = (caller: Caller, tag: string) => Promise<Omit<Request, 'key'>>;

/** The provider's branch, with a terminal under it. */
const branch = (caller: Caller, tag: string) =>
  newBranch(caller, { mid: `A${tag}`, master_merchant_id: `M${tag}`, terminals: [{ terminal_id: `T${tag}` }] });

const onTerminal =
  (body?: object): Prepare =>
  async (caller, tag) => ({ path: { id: (await branch(caller, tag)).terminals[0].tid }, body });

const withSerial = async (caller: Caller, tag: string) => {
  await branch(caller, tag);
  return (await newTerminal(caller, `A${tag}`, { terminal_id: `U${tag}`, serial_no: `S${tag}` })).tid;
};

const PREPARE: Record<Operation, Prepare> = {
  listBranches: async (caller, tag) => {
    await branch(caller, tag);
    return {};
  },
  createBranch: async (caller, tag) => {
    await branch(caller, tag);
    return {
      body: {
        mid: `B${tag}`,
        master_merchant_id: `N${tag}`,
        terminals: [{ terminal_id: `U${tag}` }, { terminal_id: `V${tag}` }],
      },
    };
  },
  getBranch: async (caller, tag) => ({ path: { mid: (await branch(caller, tag)).mid } }),
  getBranchHistory: async (caller, tag) => ({ path: { mid: (await branch(caller, tag)).mid } }),
  archiveBranch: async (caller, tag) => ({ path: { mid: (await branch(caller, tag)).mid } }),
  listTerminals: async (caller, tag) => ({ path: { id: (await branch(caller, tag)).mid } }),
  createTerminals: async (caller, tag) => ({
    path: { id: (await branch(caller, tag)).mid },
    body: { terminals: [{ terminal_id: `U${tag}`, serial_no: `S${tag}` }, { terminal_id: `V${tag}` }] },
  }),
  updateTerminal: async (caller, tag) => ({
    path: { id: await withSerial(caller, tag) },
    body: { serial_no: `R${tag}`, terminal_model: 'Pocket' },
  }),
  deleteTerminal: async (caller, tag) => ({ path: { id: await withSerial(caller, tag) } }),
  archiveTerminal: onTerminal({ reason: 'Lost' }),
  restoreTerminal: async (caller, tag) => {
    const request = await onTerminal({ reason: 'Lost' })(caller, tag);
    await call('archiveTerminal', { key: caller.key, ...request });
    return { path: request.path ?? {} };
  },
  reassignTerminal: async (caller, tag) => {
    const id = await withSerial(caller, tag);
    const { mid } = await newBranch(caller, { mid: `B${tag}`, master_merchant_id: `N${tag}` });
    return { path: { id }, body: { mid } };
  },
  getTerminalHistory: async (caller, tag) => {
    const { path } = await onTerminal()(caller, tag);
    for (const terminal_model of ['Pocket', 'Handheld', 'Countertop'])
      await call('updateTerminal', { key: caller.key, path, body: { terminal_model } });
    // Stops before the terminal's creation, which would take one more read.
    return { path, query: { limit: '1' } };
  },
  lookup: async ({ id }) => {
    await addReferenceData(id, 'PAYMENT_APPS', ['Counter Plus']);
    return { path: { method: 'paymentApp' } };
  },
  find: async (caller, tag) => {
    await branch(caller, tag);
    // Not by a serial_no: if each of its three reads waited, the request would take longer than it retries.
    return { query: { terminal_id: `T${tag}` } };
  },
  listEvents: async (caller, tag) => {
    await branch(caller, tag);
    return {};
  },
  memberCheck: async (caller, tag) => {
    await branch(caller, tag);
    return { body: { ...CARD, amount: 5, currency: 'EUR', terminal_id: `T${tag}`, acquirer_id: caller.id } };
  },
  unknownRoute: async () => ({}),
};

/** Stores all that an operation needs, and returns a request that succeeds. */
async function prepare(operation: Operation): Promise<Prepared> {
  const acquirer = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Payfair' } as const;
  await createAcquirer(acquirer);
  const caller = { ...acquirer, key: (await issueApiKey(acquirer.id, 'test')).api_key };
  const tag = tagOf(caller);
  return { tag, caller, request: { key: caller.key, ...(await PREPARE[operation](caller, tag)) } };
}

const tagOf = ({ id }: Caller) => id.replaceAll('-', '');

/** Everything that depends on who a caller is, in the same order for all callers. */
function namesOf(caller: Caller): string[] {
  const tag = tagOf(caller);
  const hash = createHash('sha256').update(caller.key).digest('hex');
  const tids = [...'TUV'].map((letter) => tidOf(letter + tag));
  const masterMerchants = [...'MNO'].map((letter) => masterMerchantUuidOf(caller.id, letter + tag));
  const entries = masterMerchants.map((uuid) => masterMerchantEntryKey(caller.id, uuid).sk);
  const history = historyOf(caller.id, '');
  return [caller.key, hash, hash.slice(0, 12), history, ...tids, ...masterMerchants, ...entries, caller.id, tag];
}

/** The same for another caller. */
export function copyOf<T>(original: T, from: Caller, to: Caller): T {
  const names = namesOf(to);
  const copy = (text: string, name: string, at: number) => text.replaceAll(name, names[at] as string);
  return JSON.parse(namesOf(from).reduce(copy, JSON.stringify(original)));
}

/** An item, by its key as `pk sk`. */
export interface Stored {
  key: string;
  attributes: Record<string, unknown>;
}

/** All stored items by the tag they contain, with bodies as texts. */
export async function storedByTag(prepared: Prepared[]): Promise<Map<string, Stored[]>> {
  const byTag = new Map(prepared.map(({ tag }) => [tag, [] as Stored[]]));
  for (const [key, attributes] of Object.entries(await stored())) {
    const item = { key, attributes: readable(attributes) };
    const ids =
      JSON.stringify(item)
        .replaceAll('-', '')
        .match(/[\da-f]{32}/g) ?? [];
    byTag.get(ids.find((id) => byTag.has(id)) ?? '')?.push(item);
  }
  return byTag;
}

/**
 * Prepares operations, each as often as it is in the list and each time for a new caller. The API itself stores what
 * the first of each needs. The others are copies, because creating hundreds of partners would take most of the time.
 */
export async function prepareAll(operations: Operation[]): Promise<Map<Operation, Prepared[]>> {
  const counts = [...Map.groupBy(operations, (operation) => operation)];
  const firsts = await Promise.all(counts.map(([operation]) => prepare(operation)));
  const items = await storedByTag(firsts);
  const puts: object[] = [];
  const store = (copy: Stored[]) => {
    for (const { key, attributes } of copy) {
      const [, pk, sk] = /^(\S+) (.+)$/.exec(key) ?? [];
      const body = pk?.startsWith('EVENTS#') && {
        body: deflateRawSync(String(attributes['body']), { dictionary: DICTIONARY }),
      };
      puts.push({ PutRequest: { Item: { pk, sk, ...writable(attributes), ...body } } });
    }
  };
  const all = counts.map(([operation, { length }], at): [Operation, Prepared[]] => {
    const first = firsts[at] as Prepared;
    store(items.get(first.tag) ?? []);
    const copies = Array.from({ length: length - 1 }, () => {
      const caller = { ...first.caller, id: randomUUID(), key: newApiKey() };
      store(copyOf(items.get(first.tag) ?? [], first.caller, caller));
      return { tag: tagOf(caller), caller, request: copyOf(first.request, first.caller, caller) };
    });
    return [operation, [first, ...copies]];
  });
  while (puts.length > 0)
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName()]: puts.splice(0, 25) as [] } }));
  return new Map(all);
}
