import { keepPreviousData } from '@tanstack/react-query';
import { useActing } from '../session/session.ts';
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

/** The loaded estate of the acquirer that one acts for. */
export function useLoadedEstate(): LoadedEstate | undefined {
  const { id } = useActing().acquirer;
  return loadedEstate.use((loaded) => (loaded?.acquirer === id ? loaded : undefined));
}

/** How a query asks the estate, with its version in the key. The last answer stays until the next is there. */
export const ASKED = {
  placeholderData: keepPreviousData,
  staleTime: 'static',
  // Answers can be large.
  gcTime: 0,
  retry: false,
  networkMode: 'always',
  structuralSharing: false,
} as const;
