/** The publisher's settings of the site. Unset texts are empty. */
export interface SiteSettings {
  name: string;
  /** Where partners get help. */
  supportName: string;
  supportEmail: string;
  supportUrl: string;
  /** The path below which the site is served; begins and ends with a slash. */
  basePath: string;
}

/** Reads the settings from the environment variables of docs/operations.md, "The site". */
export const siteSettings = (environment: NodeJS.ProcessEnv = process.env): SiteSettings => ({
  name: environment['SITE_NAME'] || 'Acquirer Partner API',
  supportName: environment['SUPPORT_NAME'] || 'Partner support',
  supportEmail: environment['SUPPORT_EMAIL'] ?? '',
  supportUrl: environment['SUPPORT_URL'] ?? '',
  basePath: environment['SITE_BASE_PATH'] || '/',
});
