/* The pages of the fleet as a whole, and of files with it. */

export { default as Estate } from './pages/home/Estate.tsx';
export { default as Import } from './pages/import/Import.tsx';
export { ImportState } from './pages/import/ImportState.tsx';
export { unfinishedWork } from './pages/import/unfinished.ts';
export { default as Terminals } from './pages/terminals/Terminals.tsx';
