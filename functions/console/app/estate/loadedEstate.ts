import type { ConsoleSchemas } from '../api/client.ts';
import { observed } from '../shared/observed.ts';

/** A terminal as the search shows it. */
export type FoundTerminal = ConsoleSchemas['Found']['terminals'][number];

export interface LoadedEstate {
  acquirer: string;
  /** The first terminals whose ID or serial number has a text, and how many there are. */
  find: (text: string) => { terminals: FoundTerminal[]; total: number };
}

/** The estate, while all of it is in memory. The search uses it without loading the code of the estate. */
export const loadedEstate = observed<LoadedEstate | undefined>(undefined);
