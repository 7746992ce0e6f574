/** The most characters of a URL that a partner sends. */
export const LONGEST_URL = 2_048;

/** The URL of a path under a base URL, which may have a path of its own and a slash at its end. */
export const urlUnder = (baseUrl: string, path: string): string => baseUrl.replace(/\/+$/, '') + path;
