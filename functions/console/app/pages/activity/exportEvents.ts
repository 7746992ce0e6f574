import type { Api } from '../../api/client.ts';
import { Interrupted } from '../../api/interrupted.ts';
import { createPatience, type PatienceOptions } from '../../api/patience.ts';
import type { Cell } from '../../files/csv.ts';
import { type BranchNames, type Event, MOST_EVENTS, type Subject } from '../../resources/data.ts';
import { authorIdOf, terminalsIn } from '../../resources/runs.ts';
import { authorOf } from '../../resources/Timeline.tsx';

type ActivityQuery = Subject & { limit: number; before?: string };

const COLUMNS = [
  ...['at', 'type', 'by', 'by_id', 'mid', 'merchant_name', 'mid_before', 'terminals', 'tids'],
  ...['changes', 'reason', 'request_id', 'id'],
];

/** How many events were exported, and down to when. */
export interface EventsExported {
  done: number;
  readTo: string | null;
}

/** What an event changed, such as `city: Lisbon → Faro`. */
function changesOf({ type, changes, data }: Event): string {
  if (!changes || !type.endsWith('.updated')) return '';
  const after = data as Record<string, unknown>;
  return Object.entries(changes)
    .map(([field, before]) => `${field}: ${before ?? ''} → ${after[field] ?? ''}`)
    .join('; ');
}

function rowOf(event: Event, branches: BranchNames, own: string): Cell[] {
  const { at, type, branch, changes, data, reason, request_id, id } = event;
  const terminals = terminalsIn(event);
  return [
    ...[at, type, authorOf(event, own), authorIdOf(event)],
    ...[branch.mid, branches.get(branch.mid)?.merchant_name, changes?.mid],
    ...[terminals.map(({ terminal_id }) => terminal_id).join(', '), terminals.map(({ tid }) => tid).join(', ')],
    ...[changesOf(event), reason ?? ('archive_reason' in data ? data.archive_reason : null), request_id, id],
  ];
}

/**
 * Exports the events that match filters, the newest first, a row each, in chunks of a page, after a chunk with the names
 * of the columns.
 *
 * @param own The acquirer that exports them.
 * @throws Interrupted when it is ended, or with the problem of a response that it cannot wait out.
 */
export async function* exportEvents(
  api: Api,
  own: string,
  filters: Subject,
  { onProgress, ...options }: PatienceOptions & { onProgress: (progress: EventsExported) => void },
): AsyncGenerator<Cell[][], void> {
  const patience = createPatience(options);
  yield [[...COLUMNS]];
  let done = 0;
  let next: string | null = '';
  while (next !== null) {
    const query: ActivityQuery = { ...filters, limit: MOST_EVENTS, ...(next && { before: next }) };
    const { data, problem } = await patience(() => api.GET('/console/api/activity', { params: { query } }));
    if (problem) throw new Interrupted(problem);
    const { events, branches } = data.data;
    const names: BranchNames = new Map(branches.map((branch) => [branch.mid, branch]));
    yield (events as Event[]).map((event) => rowOf(event, names, own));
    done += events.length;
    onProgress({ done, readTo: data.meta.read_to });
    next = data.meta.next;
  }
}
