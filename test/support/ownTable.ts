import { useOwnTable } from './table.ts';

useOwnTable();
