import type { Cell } from '../../files/csv.ts';
import type { RefusedRequest } from '../../resources/data.ts';

const COLUMNS = [
  ...(['request_id', 'at', 'operation', 'status', 'code', 'mid', 'tid', 'webhook', 'key_id', 'key_label'] as const),
  ...(['duration_ms', 'weight', 'times'] as const),
];

/** Refused requests as the rows of a file, after the names of its columns. */
export const requestRows = (requests: RefusedRequest[]): Cell[][] => [
  [...COLUMNS, 'person', 'validate_only', 'errors', 'more_errors'],
  ...requests.map((request) => [
    ...COLUMNS.map((name) => request[name]),
    request.person && (request.person.name ?? request.person.id),
    String(request.validate_only),
    request.errors.map(({ pointer, code }) => `${pointer} ${code}`).join(', '),
    request.more_errors,
  ]),
];
