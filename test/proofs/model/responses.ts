import { type Code, TITLES } from '../../support/promised.ts';
import type { ApiResponse } from './state.ts';

/* Responses of the model, and pages of lists. */

/** One field error, as in a 422. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export class Rejection extends Error {
  readonly response: ApiResponse;

  constructor(code: Code, detail: string, errors?: FieldError[], more: object = {}) {
    super(detail);
    const [status, title] = TITLES[code];
    const type = `${BASE_URL}/docs/errors/${code}`;
    this.response = responseWith(status, { type, title, status, detail, code, ...(errors && { errors }), ...more });
  }
}

/** Field errors have no specified order. */
export const byPointer = (a: FieldError, b: FieldError): number => (a.pointer < b.pointer ? -1 : 1);

export function expectFieldErrors(errors: FieldError[]): void {
  if (errors.length === 0) return;
  const count = errors.length === 1 ? '1 field error' : `${errors.length} field errors`;
  throw new Rejection('validation_failed', `The request body has ${count}; see errors.`, errors.sort(byPointer));
}

const BASE_URL = 'https://api.example.com';

/** A response with a whole body. */
const responseWith = (status: number, body: object): ApiResponse => ({
  status,
  location: null,
  isReplayed: false,
  body,
});

export const ok = (data: unknown, more: object = {}): ApiResponse => responseWith(200, { data, ...more });

export const created = (data: unknown, path: string): ApiResponse => ({
  ...responseWith(201, { data }),
  location: BASE_URL + path,
});

export const taken = (pointer: string, detail: string): FieldError => ({ pointer, code: 'taken', detail });

/**
 * A page of a list of ascending items. `total` may be of another moment than the items. The position of the page
 * depends on the `total`; in descending order it is counted from the nearer end.
 */
export function listPage(path: string, query: Record<string, string>, total: number, items: unknown[]): ApiResponse {
  const { sort = 'desc' } = query;
  const [page, per_page] = [Number(query['page'] ?? 1), Number(query['per_page'] ?? 10)];
  const [skipped, end] = [(page - 1) * per_page, Math.min(page * per_page, total)];
  const behind = total - end;
  const isFromEnd = sort === 'desc' && skipped > behind;
  const sorted = sort === 'asc' || isFromEnd ? items : items.toReversed();
  const data = isFromEnd ? sorted.slice(behind, total - skipped).toReversed() : sorted.slice(skipped, end);
  const last = Math.max(1, Math.ceil(total / per_page));
  const link = (to: number) => `${BASE_URL}${path}?${new URLSearchParams({ ...query, page: String(to) })}`;
  const links = {
    first: link(1),
    last: link(last),
    prev: page === 1 ? null : link(Math.min(page - 1, last)),
    next: page >= last ? null : link(page + 1),
  };
  return ok(skipped >= total ? [] : data, { links, meta: { current_page: page, per_page, total } });
}
