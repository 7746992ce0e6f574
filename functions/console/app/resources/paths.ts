/** The address that leads to a guide of the docs site, or to a section of it. */
export const guideUrl = (guide: string, section?: string): string => `/docs/${guide}/${section ? `#${section}` : ''}`;

/** The address that leads to the page about the code of a problem: what it means, and what to do. */
export const problemUrl = (code: string): string => `/docs/errors/${code}`;

export const paths = {
  branch: (mid: string) => `/branches/${encodeURIComponent(mid)}`,
  terminal: (tid: string) => `/terminals/${encodeURIComponent(tid)}`,
  webhook: (id: string) => `/webhooks/${encodeURIComponent(id)}`,
  request: (id: string) => `/requests/${encodeURIComponent(id)}`,
};
