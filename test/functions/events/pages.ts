import type { ApiResponse } from '../../support/api.ts';

export type Query = Record<string, string>;

/** Reads all pages of a list of events, from the newest back: until `next` is `null`. */
export async function pagesOf(
  read: (query: Query) => Promise<ApiResponse>,
  limit: number | string,
): Promise<ApiResponse[]> {
  const pages: ApiResponse[] = [];
  for (let before: string | null | undefined; before !== null; before = pages.at(-1)?.body.meta.next)
    pages.push(await read({ limit: String(limit), ...(before && { before }) }));
  return pages;
}
