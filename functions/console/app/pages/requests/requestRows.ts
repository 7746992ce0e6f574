import type { Cell } from '../../files/csv.ts';
import type { RefusedRequest } from '../../resources/data.ts';

const NAMES = [
  ...(['request_id', 'at', 'operation', 'status', 'code', 'mid', 'tid', 'webhook', 'key_id', 'key_label'] as const),
  ...(['duration_ms', 'weight', 'times'] as const),
];

/** The columns of a file with refused requests. */
export const REQUEST_COLUMNS: Cell[] = [...NAMES, 'person', 'validate_only', 'errors', 'more_errors'];

export const requestRows = (requests: RefusedRequest[]): Cell[][] =>
  requests.map((request) => [
    ...NAMES.map((name) => request[name]),
    request.person && (request.person.name ?? request.person.id),
    String(request.validate_only),
    request.errors.map(({ pointer, code }) => `${pointer} ${code}`).join(', '),
    request.more_errors,
  ]);
