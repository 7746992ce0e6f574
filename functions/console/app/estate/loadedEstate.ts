import { observed } from '../shared/observed.ts';
import type { Answer, Asked, Kind } from './questions.ts';

export interface LoadedEstate {
  acquirer: string;
  /** Another one whenever answers may be others. */
  version: number;
  ask: <K extends Kind>(kind: K, asked: Asked<K>, signal?: AbortSignal) => Promise<Answer<K>>;
}

/** The estate, while all of it is in memory. What uses it does not load the code of the estate. */
export const loadedEstate = observed<LoadedEstate | undefined>(undefined);
