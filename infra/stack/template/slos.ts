import { OPERATIONS } from './definitions.ts';

/** What a route promises in 30 days. */
export interface Slo {
  /** The share of requests that must not fail: neither with `server_error`, nor crash, nor be throttled by Lambda. */
  availability: number;
  /** The time within which a function must respond, in milliseconds, without its initialization and the gateway's share. */
  withinMs: number;
  fast: number;
}

/** The objective of each operation but the tills', and of the API as a whole. */
export const ROUTE: Slo = { availability: 0.999, withinMs: 1000, fast: 0.99 };

/** The objective of member checks: a customer is waiting at the till. */
export const MEMBER_CHECK: Slo = { ...ROUTE, availability: 0.9995, withinMs: 500 };

/** The service level objective of an operation of partners, by its function. docs/operations.md states them. */
export const sloOf = (name: string): Slo => (name === 'memberCheck' ? MEMBER_CHECK : ROUTE);
export const SLOS: Record<string, Slo> = Object.fromEntries(Object.keys(OPERATIONS).map((name) => [name, sloOf(name)]));

/** The days over which an objective is kept. */
export const SLO_DAYS = 30;

/** The share of requests that may miss an objective, such as 0.001 for 0.999. */
export const budgetOf = (objective: number): number => Number((1 - objective).toFixed(6));
