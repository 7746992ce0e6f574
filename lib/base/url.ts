/** The URL of a path under a base URL, which may have a path of its own and a slash at its end. */
export const urlUnder = (baseUrl: string, path: string): string => baseUrl.replace(/\/+$/, '') + path;
