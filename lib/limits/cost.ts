import type { RequestContext } from '../aws/requestContext.ts';
import type { ChangeOptions } from '../events/decision.ts';

/** What a request of some form costs, in units of the table. */
export interface Cost {
  read?: number;
  write?: number;
  /**
   * Write units of what it causes and what is sent once, so that its own units are not counted: a new branch is ranked, and words
   * that did not fit the transaction are stored after it.
   */
  later?: number;
}

/**
 * What a usual request costs: stated by an operation, from its validated query and body. Where a caller can make one
 * much dearer, it states more, as a burst of those is served before any of them is settled.
 */
export type StatedCost<C> = Cost | ((call: C) => Cost);

/**
 * Units of the table that a token pays for. An acquirer at its limit uses a tenth of a stage's `maxReadUnits` and
 * `maxWriteUnits`.
 */
export const UNITS_PER_TOKEN = { read: 12, write: 16 };

/** The tokens that a request weighs. A token is the least: it counts also if it is refused. */
export const tokensOf = ({ read = 0, write = 0, later = 0 }: Cost): number =>
  Math.max(1, Math.ceil(read / UNITS_PER_TOKEN.read), Math.ceil((write + later) / UNITS_PER_TOKEN.write));

/** What an operation states for a request. Nothing is written to validate it. */
export function statedCost<C extends { options?: ChangeOptions }>(stated: StatedCost<C>, call: C): Cost {
  const cost = typeof stated === 'function' ? stated(call) : stated;
  return call.options?.validate_only ? { ...cost, write: 0, later: 0 } : cost;
}

/**
 * What a request has used, as the table reported it. What was sent once is not charged: see {@link once}.
 *
 * @param stated What the operation stated. The table reports nothing of a transaction that failed, so each counts as
 *   its `write`; and once something was written, `later` is due.
 */
export function usedCost(
  { tableRequests }: RequestContext,
  { write: ofFailed = UNITS_PER_TOKEN.write, later = 0 }: Cost,
): Cost {
  const used = { read: 0, write: 0, later: 0 };
  for (const { operation, isSentOnce, isFailed, read_units, write_units } of tableRequests) {
    if (isSentOnce) continue;
    used.read += read_units;
    used.write += isFailed && operation === 'TransactWriteItems' ? ofFailed : write_units;
    if (write_units > 0) used.later = later;
  }
  return used;
}

/*
 * What several operations state, by the rules of the DynamoDB Developer Guide: test/proofs/limits has the largest items.
 */

/** Read units of the largest page of an index. */
const MOST_PAGE = 128;

/** A page of branches or terminals, of at most 5 KB each, and what tells which they are. */
export const pageCost = (rows: number): Cost => ({ read: 5 + 0.65 * rows });

/** A page of events, of at most 122 KB each: 1 MB at most, and half as much of an index. */
export const eventsCost = (events: number): Cost => ({ read: Math.min(2 * MOST_PAGE, 31 * events) });
export const historyCost = (events: number): Cost => ({ read: 7 + Math.min(MOST_PAGE, 16 * (events + 1)) });

/** A page of refused requests, of less than 1 KB each. */
export const refusedRequestsCost = (requests: number): Cost => ({ read: 1 + 0.25 * requests });

/** A search for a word that 1,000 branches have. Most searches cost a tenth of it. */
export const searchCost = (rows: number): Cost => ({ read: 180 + rows });

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1024);

/** The bytes of a value in a body. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The events of a change of both acquirers of a branch, and its response if there is an `Idempotency-Key`, deflated.
 */
export const eventsUnits = ({
  body,
  headers,
}: {
  body: unknown;
  headers: Record<string, string | undefined>;
}): number => kilobytes(0.8 * bytesOf(body)) * (headers['idempotency-key'] === undefined ? 6 : 8);

/** The begun KB of an item: what is sent, its keys and what else it has. */
export const itemKilobytes = (sent: unknown): number => kilobytes(400 + bytesOf(sent));

interface NewTerminal {
  serial_no?: string | undefined;
  payment_app?: string | undefined;
  acquirer_name?: string | undefined;
}

/**
 * New terminals: what they claim and name is read, and each is written with its entry of an index, in so many steps.
 */
export const terminalsCost = (terminals: NewTerminal[]): { read: number; write: number; steps: number } => {
  const serials = terminals.filter(({ serial_no }) => serial_no !== undefined).length;
  const names = new Set(
    terminals.flatMap(({ payment_app, acquirer_name }) => [`a${payment_app}`, `b${acquirer_name}`]),
  );
  const sizes = terminals.reduce((sum, terminal) => sum + itemKilobytes(terminal), 0);
  const steps = terminals.length + serials;
  return { read: 8 + steps + names.size, write: 3 * sizes + 2 * serials, steps };
};

/** How many words texts have, at most as many as are stored for searches. */
export const countWords = (...texts: (string | undefined)[]): number =>
  Math.min(20, texts.flatMap((text) => text?.match(/[\p{L}\p{N}]+/gu) ?? []).length);
