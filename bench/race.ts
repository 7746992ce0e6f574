import { BUDGET_MS, type Lost, pauseAfter } from '../lib/table/retry.ts';
import { Dice } from '../soak/dice.ts';

/*
 * Creators of branches for one acquirer, as events in time: each reads the list's head, writes on condition that it has
 * not changed, and after a loss pauses as lib/table/retry.ts does. Nothing is faster than it may be on a real table: a
 * read shows what was there when it began, and a write is seen when it has ended.
 */

/** A table: what its requests take on average, in milliseconds, and by what it refuses a write. */
export interface Timing {
  read: number;
  write: number;
  /** Besides a condition that does not hold, another transaction that is under way with the same item: as on AWS. */
  refusesConflicts: boolean;
}

export interface Race {
  timing: Timing;
  /** When each creator begins, in milliseconds. */
  starts: number[];
  /** Branches that each creates, one after the other. */
  each?: number;
  /** Milliseconds on average from an answer to the creator's next request. */
  between?: number;
  /** The acquirer is a distributor that creates for so many payment providers: each branch is in one's list as well. */
  providers?: number;
  /** Latencies are within this share of their average. */
  spread?: number;
  pause?: (lost: Lost, random: number) => number;
  seed: string;
}

export interface Outcome {
  created: number;
  /** Creates whose time budget has ended. */
  failed: number;
  attempts: number;
  /** From the first start to the last answer. */
  seconds: number;
}

interface Event {
  at: number;
  creator: Generator<number, void>;
}

/** Runs a race to its end; it is the same each time for the same seed. */
export function race({
  timing,
  starts,
  each = 1,
  between = 0,
  providers = 0,
  spread = 0.5,
  pause = pauseAfter,
  seed,
}: Race): Outcome {
  const dice = new Dice(seed);
  const about = (average: number) => average * (1 + spread * (2 * share(dice) - 1));
  const newList = () => ({ count: 0, isHeld: false });
  const list = newList();
  const others = Array.from({ length: providers }, newList);
  const outcome = { created: 0, failed: 0, attempts: 0 };
  let now = 0;

  /** Yields for how long it is busy. */
  function* create(): Generator<number, boolean> {
    const end = now + BUDGET_MS;
    const lists = providers > 0 ? [list, dice.of(others)] : [list];
    for (let attempt = 0; ; attempt += 1) {
      const begun = now;
      outcome.attempts += 1;
      const seen = lists.map(({ count }) => count);
      yield about(timing.read);
      const fits = (each: typeof list, at: number) => each.count === seen[at];
      // Each list accepts the write or refuses it, and one that has accepted it is held until the write has ended.
      const accepting = timing.refusesConflicts ? lists.filter((each, at) => fits(each, at) && !each.isHeld) : [];
      for (const each of accepting) each.isHeld = true;
      yield about(timing.write);
      for (const each of accepting) each.isHeld = false;
      const isAccepted = timing.refusesConflicts ? accepting.length === lists.length : lists.every(fits);
      if (isAccepted) {
        for (const each of lists) each.count += 1;
        return true;
      }
      const left = end - now;
      if (left <= 0) return false;
      yield Math.min(pause({ attempt, lasted: now - begun, left }, share(dice)), left);
    }
  }

  function* creator(): Generator<number, void> {
    for (let count = 0; count < each; count += 1) {
      if (count > 0) yield about(between);
      outcome[(yield* create()) ? 'created' : 'failed'] += 1;
    }
  }

  /** What is next stands last. */
  const events: Event[] = [];
  const add = (event: Event) => {
    let at = events.length;
    while (at > 0 && (events[at - 1] as Event).at <= event.at) at -= 1;
    events.splice(at, 0, event);
  };
  for (const at of starts) add({ at, creator: creator() });
  for (let event = events.pop(); event; event = events.pop()) {
    now = event.at;
    const { value, done } = event.creator.next();
    if (!done) add({ at: now + value, creator: event.creator });
  }
  return { ...outcome, seconds: (now - Math.min(...starts)) / 1000 };
}

/** From 0 up to 1. */
const share = (dice: Dice): number => dice.below(2 ** 32) / 2 ** 32;

/** All begin at once. */
export const together = (creators: number): number[] => Array(creators).fill(0);

/** When requests come that know nothing of each other, so many a second on average. */
export function atRandom(perSecond: number, seconds: number, seed: string): number[] {
  const dice = new Dice(seed);
  const starts = [0];
  while ((starts.at(-1) as number) < seconds * 1000)
    starts.push((starts.at(-1) as number) - (Math.log(1 - share(dice)) * 1000) / perSecond);
  return starts;
}

/** Several races that differ in their seeds only, added up; `seconds` is the average. */
export function races(count: number, raceOf: (seed: string) => Outcome): Outcome {
  const outcomes = Array.from({ length: count }, (_, seed) => raceOf(String(seed)));
  const sum = (key: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return { created: sum('created'), failed: sum('failed'), attempts: sum('attempts'), seconds: sum('seconds') / count };
}
