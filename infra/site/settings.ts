import * as v from 'valibot';

/** An environment of the API that partners use, such as a sandbox. */
export interface Environment {
  name: string;
  /** Its base URL, without a slash at the end. */
  base_url: string;
  /** Whether the reference can send requests to it. The API must allow that (docs/operations.md, "The site"). */
  can_send: boolean;
}

/** The publisher's settings of the site. Unset texts are empty. */
export interface SiteSettings {
  name: string;
  /** Where partners get help. */
  supportName: string;
  supportEmail: string;
  supportUrl: string;
  /** The first one is shown first. */
  environments: Environment[];
  /** The path below which the site is served; begins and ends with a slash. */
  basePath: string;
}

const environments = v.pipe(
  v.string(),
  v.parseJson(undefined, 'It is not JSON.'),
  v.array(
    v.strictObject({
      name: v.pipe(
        v.string(),
        v.regex(/^[\p{L}\p{N}][\p{L}\p{N} -]*$/u, 'A name has letters, digits, spaces and dashes.'),
      ),
      // Only characters that need no escaping in commands and code samples.
      base_url: v.pipe(
        v.string(),
        v.regex(/^https?:\/\/[\w.-]+(:\d+)?(\/[\w.-]+)*$/, 'A base_url is a URL without a slash at its end.'),
      ),
      can_send: v.optional(v.boolean(), false),
    }),
  ),
);

function environmentsOf(json: string): Environment[] {
  const { success, output, issues = [] } = v.safeParse(environments, json);
  if (success) return output;
  const details = issues.map((issue) => [v.getDotPath(issue), issue.message].filter(Boolean).join(': '));
  throw new Error(
    `SITE_ENVIRONMENTS must be like '[{ "name": "Sandbox", "base_url": "https://sandbox.example.com", "can_send": true }]'. ${details.join(' ')}`,
  );
}

/**
 * Reads the settings from the environment variables of docs/operations.md, "The site".
 *
 * @throws Error if SITE_ENVIRONMENTS is invalid.
 */
export const siteSettings = (environment: NodeJS.ProcessEnv = process.env): SiteSettings => ({
  name: environment['SITE_NAME'] || 'Acquirer Partner API',
  supportName: environment['SUPPORT_NAME'] || 'Partner support',
  supportEmail: environment['SUPPORT_EMAIL'] ?? '',
  supportUrl: environment['SUPPORT_URL'] ?? '',
  environments: environmentsOf(environment['SITE_ENVIRONMENTS'] || '[]'),
  basePath: environment['SITE_BASE_PATH'] || '/',
});
