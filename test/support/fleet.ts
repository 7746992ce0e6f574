import type { Limit } from '../../lib/base/limit.ts';
import { RateLimiter, type Share } from '../../lib/http/tokens.ts';

/** A random number from 0 to 1, the same sequence for the same seed (a linear congruential generator). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** How many requests per second an acquirer sends to a fleet, at random times and to random processes. */
export interface Load {
  acquirer: string;
  share?: Share;
  limit: Limit;
  perSecond: number;
  /** Spaces requests evenly and sends them to the processes in turn, instead of at random. */
  isEven?: boolean;
}

/** The outcome of one load. */
export interface Outcome {
  calls: number;
  rejected: number;
  /** Accepted requests by the start of their window, according to the simulated clock. */
  acceptedIn: Map<number, number>;
  /** Leases; each is one request to the table. */
  leases: number;
}

/** Processes that share a table of leases, in simulated time. */
export class Fleet {
  now = 1_800_000_000_000;
  /** Leased tokens by their key. */
  readonly items = new Map<string, number>();
  /** The error that every lease fails with, if set. */
  failure: Error | undefined;
  readonly #processes: RateLimiter[];
  readonly #random: () => number;
  #leases = 0;

  /** @param clockOff How many milliseconds each process's clock is ahead. */
  constructor(processes: number, { seed = 1, clockOff = (_: number): number => 0 } = {}) {
    this.#random = seeded(seed);
    this.#processes = Array.from(
      { length: processes },
      (_, at) =>
        new RateLimiter(
          async ({ pk }, tokens) => {
            this.#leases += 1;
            if (this.failure) throw this.failure;
            const taken = (this.items.get(pk) ?? 0) + tokens;
            this.items.set(pk, taken);
            return taken;
          },
          () => this.now + clockOff(at),
        ),
    );
  }

  /** Sends one request to one process. */
  async send({ acquirer, share = 'requests', limit }: Load, at = Math.floor(this.#random() * this.#processes.length)) {
    return (this.#processes[at] as RateLimiter).take(acquirer, share, limit);
  }

  /** Sends loads for this many seconds, with requests at random times (a Poisson process). */
  async run(seconds: number, loads: Load[], onTick: (elapsed: number) => void = () => {}): Promise<Outcome[]> {
    const start = this.now;
    const outcomes = loads.map((): Outcome => ({ calls: 0, rejected: 0, acceptedIn: new Map(), leases: 0 }));
    const pause = ({ perSecond, isEven }: Load) => ((isEven ? 1 : -Math.log(1 - this.#random())) / perSecond) * 1000;
    const next = loads.map((load) => start + pause(load));
    for (;;) {
      const at = next.indexOf(Math.min(...next));
      const [load, outcome, time] = [loads[at] as Load, outcomes[at] as Outcome, next[at] as number];
      if (time >= start + seconds * 1000) return outcomes;
      this.now = Math.floor(time);
      onTick(this.now - start);
      next[at] = time + pause(load);
      const leases = this.#leases;
      const allowance = await this.send(load, load.isEven ? outcome.calls % this.#processes.length : undefined);
      outcome.calls += 1;
      outcome.leases += this.#leases - leases;
      const length = (load.limit.burst / load.limit.rate) * 1000;
      const window = this.now - (this.now % length);
      if (allowance.isAccepted) outcome.acceptedIn.set(window, (outcome.acceptedIn.get(window) ?? 0) + 1);
      else outcome.rejected += 1;
    }
  }
}

/** The most requests accepted in one window. */
export const mostAccepted = ({ acceptedIn }: Outcome): number => Math.max(...acceptedIn.values());
