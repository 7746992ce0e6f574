import * as v from 'valibot';

/** The publisher's settings of the site. Unset texts are empty. */
export interface SiteSettings {
  name: string;
  supportName: string;
  supportEmail: string;
  supportUrl: string;
  /** The first one is shown first. */
  environments: Environment[];
  /** The path below which the site is served; begins and ends with a slash. */
  basePath: string;
}

const environmentList = v.pipe(
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
      /** Whether the reference can send requests to it. The API must allow that (docs/operations.md, "The site"). */
      can_send: v.optional(v.boolean(), false),
      /** Whether people can sign in to its console. */
      has_console: v.optional(v.boolean(), false),
    }),
  ),
  v.check((list) => new Set(list.map(({ name }) => name)).size === list.length, 'Two environments have the same name.'),
);

/** An environment of the API that partners use, such as a sandbox. */
export type Environment = v.InferOutput<typeof environmentList>[number];

function environmentsOf(json: string): Environment[] {
  const { success, output, issues = [] } = v.safeParse(environmentList, json);
  if (success) return output;
  const details = issues.map((issue) => [v.getDotPath(issue), issue.message].filter(Boolean).join(': '));
  const example =
    '[{ "name": "Sandbox", "base_url": "https://sandbox.example.com", "can_send": true, "has_console": true }]';
  throw new Error(`SITE_ENVIRONMENTS must be like '${example}'. ${details.join(' ')}`);
}

function basePathOf(path: string): string {
  if (/^\/(.+\/)?$/.test(path)) return path;
  throw new Error(`SITE_BASE_PATH must begin and end with a slash, like "/partners/", not "${path}".`);
}

/** Where partners get help, as Markdown; empty without a contact. */
export const contactsOf = ({ supportName, supportEmail, supportUrl }: SiteSettings): string => {
  const contacts = [
    ...(supportEmail ? [`[${supportEmail}](mailto:${supportEmail})`] : []),
    ...(supportUrl ? [`[${supportUrl}](${supportUrl})`] : []),
  ];
  return contacts.length > 0 ? `${supportName}: ${contacts.join(' or ')}` : '';
};

/** The consoles of the environments that have one, as links. */
export const consolesOf = ({ environments }: SiteSettings) =>
  environments
    .filter(({ has_console }) => has_console)
    .map(({ name, base_url }) => ({ text: name, link: `${base_url}/console`, target: '_self', noIcon: true }));

/**
 * Reads the settings from the environment variables of docs/operations.md, "The site".
 *
 * @throws Error if SITE_ENVIRONMENTS or SITE_BASE_PATH is invalid.
 */
export const siteSettings = (environment: NodeJS.ProcessEnv = process.env): SiteSettings => ({
  name: environment['SITE_NAME'] || 'Acquirer Partner API',
  supportName: environment['SUPPORT_NAME'] || 'Partner support',
  supportEmail: environment['SUPPORT_EMAIL'] ?? '',
  supportUrl: environment['SUPPORT_URL'] ?? '',
  environments: environmentsOf(environment['SITE_ENVIRONMENTS'] || '[]'),
  basePath: basePathOf(environment['SITE_BASE_PATH'] || '/'),
});
