import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import '../../../infra/local/patient.ts';

/* What the proofs of this folder share. They bring the service to the bounds of what it stores and reads. */

/** Runs as many at once. */
export const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

/** Calls an operation, and fails unless it succeeds. */
export async function succeed(operation: Operation, request: Request): Promise<ApiResponse> {
  const response = await call(operation, request);
  if (response.status >= 300) throw new Error(`${operation} failed: ${JSON.stringify(response.body)}`);
  return response;
}

/** What all pages of a list have, and its total. */
export async function listAll(operation: Operation, request: Request, sort: string) {
  // biome-ignore lint/suspicious/noExplicitAny: each list has its own rows
  const rows: any[] = [];
  for (let page = 1; ; page += 1) {
    const query = { sort, per_page: '100', page: String(page) };
    const { data, meta } = (await succeed(operation, { ...request, query })).body;
    rows.push(...data);
    if (data.length === 0 || rows.length >= meta.total) return { rows, total: meta.total as number };
  }
}
