/** The address of a guide of the docs site, which is served under the same host. */
export const guideUrl = (guide: string): string => `/docs/${guide}/`;
