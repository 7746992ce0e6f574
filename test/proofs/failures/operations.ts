import {
  API_OPERATIONS,
  beforehand,
  requestOf,
  type Subject,
  subjectOf,
} from '../../../infra/publish/contract/calls.ts';
import { ACCESS } from '../../../infra/stack/template/definitions.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import '../../support/patient.ts';
import { readable, stored } from '../../support/stored.ts';
import { type Caller, newAcquirer, unique } from '../../support/world.ts';

const allows = (operation: Operation, resource: RegExp, action: string) =>
  Object.entries(ACCESS[operation] ?? {}).some(([each, actions]) => resource.test(each) && actions.includes(action));

/** Operations that write. A list only seals, now and then. */
export const WRITES: Operation[] = API_OPERATIONS.filter((operation) => allows(operation, /^EVENTS$/, 'PutItem'));
export const READS: Operation[] = API_OPERATIONS.filter((operation) => !WRITES.includes(operation));
/**
 * Operations that only sometimes read a batch: lists, for what their index does not show; a find, for master merchants; a
 * terminal's history, for the creation of several terminals.
 */
const SOMETIMES: Operation[] = ['listBranches', 'listTerminals', 'find', 'getTerminalHistory'];
/** Operations that always read a batch. */
export const BATCH_READS: Operation[] = API_OPERATIONS.filter(
  // Requests with a key read none of what resolves a session.
  (operation) =>
    !SOMETIMES.includes(operation) &&
    allows(operation, /^(?!(ACQUIRERS|PEOPLE|PERSON|SESSION|SESSION_USE)$)/, 'BatchGetItem'),
);
export const ALL: Operation[] = [...API_OPERATIONS, 'unknownRoute'];

/** A request that succeeds. All items that it reads or writes contain `tag`, which other writes do not have. */
export interface Prepared {
  tag: string;
  subject: Subject;
  request: Request;
}

export function requestAbout(operation: Operation, subject: Subject, { key }: Pick<Request, 'key'>): Request {
  if (operation === 'unknownRoute') return { key };
  // Not by a serial_no: if each of its three reads waited, the request would take longer than it retries.
  const query = operation === 'find' && { query: { terminal_id: subject.terminal_id } };
  // Without a search, which sends nine requests at once.
  const page = operation === 'listBranches' && { query: { sort: 'asc' } };
  return { key, ...requestOf(operation, subject), ...query, ...page };
}

/** What takes most of the items of a branch: one for each word. */
const NO_NAMES = { branch_name: undefined, area: undefined, city: undefined, master_merchant_name: undefined };

/** Stores all that an operation needs. */
async function prepare(operation: Operation, caller: Caller): Promise<Prepared> {
  const tag = unique('');
  const subject = subjectOf(tag, caller);
  for (const [each, about] of operation === 'unknownRoute' ? [] : beforehand(operation, subject)) {
    const request = requestAbout(each, about, caller);
    const body = each === 'createBranch' ? { ...(request.body as object), ...NO_NAMES } : request.body;
    await call(each, { ...request, body });
  }
  return { tag, subject, request: requestAbout(operation, subject, caller) };
}

/** Returns a function that prepares operations: all reads with the same subject, and each write with a new one. */
export async function preparation(): Promise<(operation: Operation) => Promise<Prepared>> {
  const [reader, writer] = [
    await newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    await newAcquirer('PAYMENT_PROVIDER', 'Quickpay'),
  ];
  const read = await prepare('getTerminalHistory', reader);
  await addCard('anna', read.subject.card);
  await addReward('anna', {
    reward_id: 'R1',
    name: 'Coffee',
    currency: 'EUR',
    minimum_amount: 1,
    valid_from: '2026-01-01T00:00:00.000Z',
    expires_at: '2999-01-01T00:00:00.000Z',
  });
  return async (operation) =>
    WRITES.includes(operation)
      ? prepare(operation, writer)
      : { ...read, request: requestAbout(operation, read.subject, reader) };
}

/** An item, by its key as `pk sk`. */
interface Item {
  key: string;
  attributes: Record<string, unknown>;
}

const TAG = /([\da-f]{7}x){4}/;

/** All stored items by the tag that they contain. */
export async function itemsByTag(): Promise<Map<string, Item[]>> {
  const items = Object.entries(await stored()).map(([key, attributes]) => ({ key, attributes: readable(attributes) }));
  return Map.groupBy(
    // The audit compares entries of words with the branches.
    items.filter(({ key }) => !/^(IDEMPOTENCY_KEY|WORDS)#/.test(key)),
    (item) => TAG.exec(JSON.stringify(item))?.[0] ?? '',
  );
}

/** What a request did: the stored items and the response, as {@link effectOf} returns them. */
export interface Effect {
  items: Item[];
  response?: ApiResponse;
}

/** Times, UUIDs, tags, UUIDs in base64url, and ids of API keys. */
const VARYING = new RegExp(
  [
    String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`,
    String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`,
    TAG.source,
    String.raw`(?<![\w-])[\w-]{22}(?![\w-])`,
    String.raw`\b[\da-f]{12}\b`,
  ].join('|'),
  'g',
);

/**
 * Until a branch is ranked, its positions are its time of creation in milliseconds. The end of an event's retention and
 * a cursor are also made of a time, which is stored beside them.
 */
function timeOf(name: string, value: unknown) {
  if (name === 'ttl' || (name === 'next' && typeof value === 'string' && !value.startsWith('https:'))) return '<made>';
  return name.endsWith('_position') && Number(value) > 1e12 ? new Date(Number(value)).toISOString() : value;
}

/**
 * Items and a response with times and ids numbered in order. They are equal for two subjects exactly if the same
 * happened to both, and differ if, say, a response has another time than the item.
 */
export function effectOf(items: Item[] = [], response?: ApiResponse): Effect {
  const shapeOf = (item: Item) => JSON.stringify(item).replace(VARYING, '');
  const sorted = items.toSorted((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1));
  const seen: string[] = [];
  const number = (each: string) => {
    if (!seen.includes(each)) seen.push(each);
    return `#${seen.indexOf(each)}`;
  };
  return JSON.parse(JSON.stringify({ items: sorted, response }, timeOf).replace(VARYING, number));
}
