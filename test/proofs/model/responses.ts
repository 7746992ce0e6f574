import { type Code, TITLES } from '../../support/promised.ts';
import type { FieldError } from './bodies.ts';
import type { ApiResponse } from './state.ts';

/* Responses of the model, and pages of lists. */

export class Rejection extends Error {
  readonly response: ApiResponse;

  constructor(code: Code, detail: string, errors?: FieldError[]) {
    super(detail);
    const [status, title] = TITLES[code];
    const type = `${BASE_URL}/docs/errors/${code}`;
    this.response = responseWith(status, { type, title, status, detail, code, ...(errors && { errors }) });
  }
}

/** Field errors have no specified order. */
export const byPointer = (a: FieldError, b: FieldError): number => (a.pointer < b.pointer ? -1 : 1);

export function expectFieldErrors(errors: FieldError[]): void {
  if (errors.length === 0) return;
  const count = errors.length === 1 ? '1 field error' : `${errors.length} field errors`;
  throw new Rejection('validation_failed', `The request body has ${count}; see errors.`, errors.sort(byPointer));
}

export const BASE_URL = 'https://api.example.com';

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

export function wrongNumber(value: string, most: number): string | undefined {
  if (!/^\d+$/.test(value)) return 'Must be a whole number.';
  if (Number(value) < 1) return 'Must be at least 1.';
  return Number(value) > most ? `Must be at most ${most}.` : undefined;
}

/** The default and the error of each query parameter of a list. */
const LIST_QUERY: Record<string, { absent: string; wrong: (value: string) => string | undefined }> = {
  sort: { absent: 'desc', wrong: (value) => (/^(asc|desc)$/.test(value) ? undefined : 'Must be asc or desc.') },
  per_page: { absent: '10', wrong: (value) => wrongNumber(value, 100) },
  page: { absent: '1', wrong: (value) => wrongNumber(value, 1_000_000_000) },
};
export const LIST_PARAMETERS = Object.keys(LIST_QUERY);

export function checkQuery(query: Record<string, string>, more: string[] = []): void {
  const fieldErrors = Object.entries(LIST_QUERY).flatMap(([name, { wrong }]) => {
    const failure = query[name] === undefined ? undefined : wrong(query[name]);
    return failure ? [`${name}: ${failure}`] : [];
  });
  const all = [...fieldErrors, ...more];
  if (all.length > 0) throw new Rejection('invalid_query', all.join(' '));
}

/**
 * A page of a list of ascending items. `total` may be of another moment than the items. The position of the page
 * depends on the `total`; in descending order it is counted from the nearer end.
 */
export function listPage(path: string, query: Record<string, string>, total: number, items: unknown[]): ApiResponse {
  const asked = (name: string): string => query[name] ?? LIST_QUERY[name]?.absent ?? '';
  const [page, per_page] = [Number(asked('page')), Number(asked('per_page'))];
  const [skipped, end] = [(page - 1) * per_page, Math.min(page * per_page, total)];
  const behind = total - end;
  const isFromEnd = asked('sort') === 'desc' && skipped > behind;
  const sorted = asked('sort') === 'asc' || isFromEnd ? items : items.toReversed();
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
