import type { Api } from '../../api/client.ts';
import { labelOf } from '../../fields/wording.ts';
import type { Cell } from '../../files/csv.ts';
import { type BranchNames, type Event, MOST_EVENTS, type Subject } from '../../resources/data.ts';
import { kindOf } from '../../resources/events.ts';
import { authorIdOf, terminalsIn } from '../../resources/runs.ts';
import { type ExportControl, exportPages } from './exportPages.ts';

const COLUMNS = [
  ...['Time', 'Change', 'Who', "Who's ID", 'MID', 'Branch', 'MID before', 'Terminals', 'TIDs'],
  ...['Changed', 'Reason', 'Request ID', 'ID'],
];

/** What an event changed, such as `City: Lisbon → Faro`. */
function changesOf({ type, changes, data }: Event): string {
  if (!changes || !type.endsWith('.updated')) return '';
  const after = data as Record<string, unknown>;
  return Object.entries(changes)
    .map(([field, before]) => `${labelOf(field)}: ${before ?? ''} → ${after[field] ?? ''}`)
    .join('; ');
}

function rowOf(event: Event, branches: BranchNames, author: string): Cell[] {
  const { at, type, branch, changes, data, reason, request_id, id } = event;
  const terminals = terminalsIn(event);
  return [
    ...[at, kindOf(type), author, authorIdOf(event)],
    ...[branch.mid, branches.get(branch.mid)?.merchant_name, changes?.mid],
    ...[terminals.map(({ terminal_id }) => terminal_id).join(', '), terminals.map(({ tid }) => tid).join(', ')],
    ...[changesOf(event), reason ?? ('archive_reason' in data ? data.archive_reason : null), request_id, id],
  ];
}

/**
 * Exports the events that match filters, a row each, as {@link exportPages} does.
 *
 * @param authorOf Names who made a change.
 */
export const exportEvents = (
  api: Api,
  authorOf: (event: Event) => string,
  filters: Subject,
  control: ExportControl,
): AsyncGenerator<Cell[][], void> =>
  exportPages(
    {
      columns: COLUMNS,
      read: (cursor) =>
        api.GET('/console/api/activity', { params: { query: { ...filters, limit: MOST_EVENTS, ...cursor } } }),
      rowsOf: ({ events, branches }) => {
        const names: BranchNames = new Map(branches.map((branch) => [branch.mid, branch]));
        return (events as Event[]).map((event) => rowOf(event, names, authorOf(event)));
      },
    },
    control,
  );
