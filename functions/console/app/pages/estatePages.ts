/* The pages of the fleet as a whole, and of files with it. */

export { default as Estate } from './home/Estate.tsx';
export { default as Import } from './import/Import.tsx';
export { ImportState } from './import/ImportState.tsx';
export { unfinishedWork } from './import/unfinished.ts';
export { default as Terminals } from './terminals/Terminals.tsx';
