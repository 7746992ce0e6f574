/** Which page of a list is asked for: `page` and `per_page` from 1, by time of creation. */
export interface PageRequest {
  page: number;
  per_page: number;
  sort: 'asc' | 'desc';
}
