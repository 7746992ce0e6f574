import type { Account } from '../aws/requestContext.ts';

/**
 * Units of the table that a token pays for. An acquirer at its limit uses a tenth of a stage's `maxReadUnits` and
 * `maxWriteUnits`.
 */
export const UNITS_PER_TOKEN = { read: 12, write: 16 };

/**
 * The account of a request, whose first token is paid. Requests to the table are paid for before, at the most that they
 * can cost: paid later, a burst of dear requests would be served before the first of them has paid.
 */
export class TokenAccount implements Account {
  #tokens = 1;
  readonly #used = { read: 0, write: 0 };
  readonly #quota: number;
  readonly #take: (tokens: number) => Promise<void>;

  /**
   * @param quota The most tokens that can be taken at once. What costs more takes all of them.
   * @param take Takes further tokens. Throws if there are too few.
   */
  constructor(quota: number, take: (tokens: number) => Promise<void>) {
    this.#quota = quota;
    this.#take = take;
  }

  /** The tokens that pay for what was used, at least the first. */
  get #weight(): number {
    const { read, write } = UNITS_PER_TOKEN;
    return Math.max(1, Math.ceil(Math.max(this.#used.read / read, this.#used.write / write)));
  }

  async pay(kind: 'read' | 'write', units: number): Promise<(used: number) => void> {
    const capped = (count: number): number => Math.min(count, this.#quota * UNITS_PER_TOKEN[kind]);
    this.#used[kind] += capped(units);
    const settle = (used: number): void => {
      this.#used[kind] -= capped(units) - capped(used);
    };
    const owed = Math.min(this.#weight - this.#tokens, this.#quota);
    if (owed <= 0) return settle;
    // Before the next request to the table can pay, which may be sent at the same time.
    this.#tokens += owed;
    try {
      await this.#take(owed);
    } catch (error) {
      this.#tokens -= owed;
      settle(0);
      throw error;
    }
    return settle;
  }

  /** Returns the tokens that were taken and not used; negative if it used more than it paid for. */
  close(): number {
    return this.#tokens - this.#weight;
  }
}
