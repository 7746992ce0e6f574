/** The address that leads to a guide of the docs site, or to a section of it. */
export const guideUrl = (guide: string, section?: string): string => `/docs/${guide}/${section ? `#${section}` : ''}`;

export const paths = {
  branch: (mid: string) => `/branches/${encodeURIComponent(mid)}`,
  terminal: (tid: string) => `/terminals/${encodeURIComponent(tid)}`,
  webhook: (id: string) => `/webhooks/${encodeURIComponent(id)}`,
};
