import type { ConsoleSchemas } from '../api/client.ts';
import { observed } from '../shared/observed.ts';

/** A terminal as the search shows it. */
export type FoundTerminal = ConsoleSchemas['Found']['terminals'][number];

export interface LoadedEstate {
  acquirer: string;
  /** The first terminals whose ID or serial number has a text, and how many there are. */
  find: (text: string) => { terminals: FoundTerminal[]; total: number };
  /** The cities where a business has branches, by its ID. */
  citiesOf: (business: string) => string[];
}

/** The estate, while all of it is in memory. What uses it does not load the code of the estate. */
export const loadedEstate = observed<LoadedEstate | undefined>(undefined);
