import { type Code, TITLES } from '../../support/promised.ts';
import type { FieldError } from './bodies.ts';
import type { ApiResponse } from './state.ts';

/* Responses of the model. */

export class Rejection extends Error {
  readonly response: ApiResponse;

  constructor(code: Code, detail: string, errors?: FieldError[]) {
    super(detail);
    const [status, title] = TITLES[code];
    const type = `https://api.example.com/docs/errors/${code}`;
    this.response = {
      status,
      location: null,
      isReplayed: false,
      body: { type, title, status, detail, code, ...(errors && { errors }) },
    };
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

export const ok = (data: unknown): ApiResponse => ({ status: 200, location: null, isReplayed: false, body: { data } });

export const created = (data: unknown, path: string): ApiResponse => ({
  ...ok(data),
  status: 201,
  location: BASE_URL + path,
});

export const taken = (pointer: string, detail: string): FieldError => ({ pointer, code: 'taken', detail });
