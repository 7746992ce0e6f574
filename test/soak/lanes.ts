import fc from 'fast-check';
import { concurrent } from '../proofs/model/commands.ts';
import { atOnce, begin, type Course, readBack, take } from '../proofs/model/course.ts';
import { responsesSoFar } from '../proofs/model/report.ts';
import { addMembers, type Send } from '../proofs/model/world.ts';

const STEPS = concurrent(40);
const MOST_CHARACTERS = 400;

const failureOf = (what: string, { world }: Course, { stack, cause = '' }: Error): string =>
  [what, ...world.calls.map((call) => JSON.stringify(call).slice(0, MOST_CHARACTERS)), stack, cause].join('\n  ');

/**
 * Runs lanes concurrently against the service. Each makes the calls of one course after another, in worlds of its own, and
 * compares the responses, and then everything that can be read, with the model. The first failure ends all lanes, as `isEnough` does.
 */
export async function runLanes(send: Send, isEnough: () => boolean, seed: number, lanes = 6) {
  const failures: string[] = [];
  const explained: [what: string, course: Course][] = [];
  const isOver = () => failures.length > 0 || isEnough();

  async function attempt(what: string, course: Course, compare: () => Promise<void>): Promise<void> {
    try {
      await compare();
    } catch (error) {
      failures.push(failureOf(what, course, error as Error));
    }
  }

  async function run(lane: number): Promise<void> {
    for (let number = 1; !isOver(); number += 1) {
      const what = `Lane ${lane}, course ${number}, seed ${seed}. Its calls and the verdict:`;
      const [steps = []] = fc.sample(STEPS, {
        seed: (seed * 50 + lane) * 1000 + number,
        numRuns: 1,
        unbiased: true,
      });
      const course = await begin(send, []);
      await attempt(what, course, async () => {
        for (const step of steps) if (!isOver()) await take(course, step, atOnce);
        await readBack(course);
        course.history = undefined;
        explained.push([what, course]);
      });
    }
  }

  await addMembers();
  await Promise.all(Array.from({ length: lanes }, (_, at) => run(at + 1)));
  return {
    courses: explained.length,
    kinds: responsesSoFar(),
    /** The courses that the model could not explain, for the report. */
    failures,
    /** Compares the lists of events with the model. It holds for the changes of which the events are not held back. */
    compareFeeds: async () => {
      for (const [what, course] of explained)
        await attempt(what, course, () => readBack(course, ({ operation }) => operation === 'listEvents'));
    },
  };
}
