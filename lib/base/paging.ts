/** The requested page of a list, sorted by time of creation. `page` and `per_page` start at 1. */
export interface PageRequest {
  page: number;
  per_page: number;
  sort: 'asc' | 'desc';
}

/** The most bytes of the items of a page. Lambda's limit of a response is 6 MB. */
export const MOST_PAGE_BYTES = 1024 * 1024;
