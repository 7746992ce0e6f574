import type { Case } from './case.ts';
import { BRANCHES } from './cases/branches.ts';
import { CALLERS, PEOPLE_CALLERS } from './cases/callers.ts';
import { CONSOLE } from './cases/console.ts';
import { LIMITS } from './cases/limits.ts';
import { READS } from './cases/reads.ts';
import { TERMINALS } from './cases/terminals.ts';

/** The cases of a stage. */
export const casesOf = (hasConsole: boolean): Case[] => [
  ...BRANCHES,
  ...TERMINALS,
  ...READS,
  ...LIMITS,
  ...CALLERS,
  ...(hasConsole ? [...CONSOLE, ...PEOPLE_CALLERS] : []),
];
