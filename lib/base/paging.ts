/** The requested page of a list, sorted by time of creation. `page` and `per_page` start at 1. */
export interface PageRequest {
  page: number;
  per_page: number;
  sort: 'asc' | 'desc';
}
