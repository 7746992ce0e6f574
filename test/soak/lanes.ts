import fc from 'fast-check';
import { concurrent } from '../proofs/model/commands.ts';
import { atOnce, begin, type Course, readBack, take } from '../proofs/model/course.ts';
import { addMembers, type Send } from '../proofs/model/service.ts';

const STEPS = concurrent(40);
const MOST_CHARACTERS = 400;
const LANES = 6;

const failureOf = (what: string, { world }: Course, { stack, cause = '' }: Error): string =>
  [what, ...world.calls.map((call) => JSON.stringify(call).slice(0, MOST_CHARACTERS)), stack, cause].join('\n  ');

/**
 * Runs lanes concurrently against the service. Each makes the calls of one course after another, in worlds of its own,
 * and compares the responses, and then everything that can be read, with the model. The first failure ends all lanes,
 * as `isEnough` does.
 */
export async function runLanes(send: Send, isEnough: () => boolean, seed: number) {
  const failures: string[] = [];
  let courses = 0;
  const isOver = () => failures.length > 0 || isEnough();

  async function run(lane: number): Promise<void> {
    for (let number = 1; !isOver(); number += 1) {
      const what = `Lane ${lane}, course ${number}, seed ${seed}. Its calls and the verdict:`;
      const choices = { seed: (seed * 50 + lane) * 1000 + number, numRuns: 1, unbiased: true };
      const [steps = []] = fc.sample(STEPS, choices);
      const course = await begin(send, []);
      try {
        for (const step of steps) if (!isOver()) await take(course, step, atOnce);
        await readBack(course);
        courses += 1;
      } catch (error) {
        failures.push(failureOf(what, course, error as Error));
      }
    }
  }

  await addMembers();
  await Promise.all(Array.from({ length: LANES }, (_, at) => run(at + 1)));
  return { courses, failures };
}
