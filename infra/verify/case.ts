import type { FunctionName } from './failure.ts';
import type { World } from './world.ts';

/** What is verified at once. */
export interface Case {
  /** What holds if it passes, in a few words. */
  name: string;
  /** The functions whose requests it checks. */
  covers: FunctionName[];
  /** Whether it mostly waits: it runs beside the others. */
  waits?: true;
  /** Resolves to what was found out, if that is a text. Rejects with what does not hold, or with Skipped. */
  run: (world: World) => Promise<unknown>;
}
