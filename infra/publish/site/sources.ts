import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CATALOGUE, type ProblemCode } from '../../../lib/base/problem.ts';
import { packClient } from '../contract/clientPackage.ts';
import { interfacePaths } from '../contract/paths.ts';
import { asPage, guideGroups, guides, problemSections } from './guides.ts';
import { scalarScript } from './scalar.ts';
import { contactsOf, type SiteSettings } from './settings.ts';
import { withEnvironmentTabs } from './tabs.ts';

/*
 * The sources of the VitePress build: pages in Markdown, and `public/`, which it copies.
 */

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

type Operation = { operationId: string; summary: string; description: string; tags: [string]; parameters?: object[] };
interface Contract {
  info: { title: string; description: string; contact?: object };
  paths: Record<string, Record<string, Operation>>;
}

/** The contract with the site's name, environments and support contact. */
function contractOf({ name, supportName, supportEmail, supportUrl, environments }: SiteSettings): Contract {
  const contract: Contract = JSON.parse(read('docs/openapi.json'));
  const { contact: _, ...info } = contract.info;
  const contact = {
    name: supportName,
    ...(supportEmail && { email: supportEmail }),
    ...(supportUrl && { url: supportUrl }),
  };
  const servers = environments.map(({ name: description, base_url: url }) => ({ url, description }));
  return {
    ...contract,
    info: { ...info, title: name, ...((supportEmail || supportUrl) && { contact }) },
    ...(servers.length > 0 && { servers }),
  };
}

/** Fills in what guides say about the settings. */
function withSettings(text: string, settings: SiteSettings): string {
  const { environments } = settings;
  const contacts = contactsOf(settings);
  const lines = environments.map(
    ({ name, base_url, can_send }) =>
      `- **${name}**: \`${base_url}\`${can_send ? '. You can [send requests](#send-requests-from-the-reference) from the reference.' : ''}\n`,
  );
  return text
    .replace(/<!-- contacts -->(.*)/, (_, withoutContact) => contacts || withoutContact)
    .replace(/<!-- environments -->(.*\n)/, (_, withoutEnvironment) => lines.join('') || withoutEnvironment)
    .replaceAll('{base_url}', environments[0]?.base_url ?? '{base_url}');
}

/** Likewise, on a page that has tabs for the environments. */
const withTabsAndSettings = (text: string, settings: SiteSettings): string =>
  withSettings(withEnvironmentTabs(text, settings.environments), settings);

interface Download {
  path: string;
  title: string;
  content: (settings: SiteSettings) => string | Buffer | Promise<Buffer>;
}

export const DOWNLOADS: Download[] = [
  {
    path: 'openapi.json',
    title: 'OpenAPI contract',
    content: (settings) => `${JSON.stringify(contractOf(settings), null, 2)}\n`,
  },
  { path: 'downloads/acquirer-partner-api-client.tgz', title: 'Typed client (npm)', content: packClient },
  { path: 'llms.txt', title: 'Index for language models', content: llmsIndex },
];

/** The index that https://llmstxt.org describes. */
function llmsIndex(settings: SiteSettings): string {
  const { basePath } = settings;
  const { info } = contractOf(settings);
  const groups = guideGroups().map(([group, listed]) => {
    const lines = listed.map(({ name, title, summary }) => `- [${title}](${basePath}docs/${name}.md): ${summary}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# ${info.title}

> ${info.description.replaceAll('\n', ' ')}

${groups.join('\n')}
## Reference

- [OpenAPI contract](${basePath}openapi.json): every operation with its parameters, bodies, responses and errors
`;
}

const matter = (fields: object): string => `---\n${JSON.stringify(fields)}\n---\n\n`;

/** The page that the site opens with: what the API is, a first call, and all guides. */
function home(settings: SiteSettings): string {
  const { info } = JSON.parse(read('docs/openapi.json'));
  const fields = {
    layout: 'home',
    search: false,
    hero: {
      name: settings.name,
      tagline: info.summary,
      actions: [
        { text: 'Quickstart', link: '/docs/quickstart/' },
        { theme: 'alt', text: 'Reference', link: '/reference/' },
      ],
    },
  };
  const groups = guideGroups().map(([group, listed]) => {
    const links = listed.map(({ name, title }) => `- [${title}](/docs/${name}/)`);
    return `<div>\n\n## ${group}\n\n${links.join('\n')}\n\n</div>\n`;
  });
  return `${matter(fields)}${withTabsAndSettings(FIRST_CALL, settings)}
<div class="groups">
${groups.join('')}</div>
`;
}

const FIRST_CALL = `## First call

List the branches of cafés in Porto, with your [API key](/docs/api-keys/) and the base URL of your
[environment](/docs/environments/):

\`\`\`sh
curl -H 'API-KEY: <API_KEY>' '{base_url}/ext/api/v1/merchants?search=cafe+porto'
\`\`\`

Your programs can also find and change [terminals](/docs/find-a-terminal/), and follow all changes by
[webhooks](/docs/webhooks/). [Assistants](/docs/assistants/) can use the same operations, and your colleagues
[the console](/docs/the-console/).
`;

const problemPage = (code: string, text: string): string => {
  const [status, title] = CATALOGUE[code as ProblemCode];
  return `${matter({ search: false, prev: false, next: false })}# ${title}

\`${status}\` \`${code}\`

${text}

[All errors](/docs/errors/)
`;
};

const operationAnchor = ({ tags: [tag], operationId }: Operation): string =>
  `api-1/tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`;

/** The text of the reference, for readers without JavaScript and for the search index. */
function referencePage(settings: SiteSettings): string {
  const { paths } = contractOf(settings);
  const operations = Object.entries(interfacePaths(paths)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const sections = operations.map(
    (operation) => `## ${operation.summary} {#${operationAnchor(operation)}}

\`${operation.method} ${operation.path}\` · \`${operation.operationId}\`

${operation.description}
`,
  );
  return `${matter({ layout: 'Reference', sidebar: false, pageClass: 'whole' })}# Reference\n\n${sections.join('\n')}`;
}

export async function sources(settings: SiteSettings): Promise<Map<string, string | Buffer>> {
  const downloads = DOWNLOADS.map(
    async ({ path, content }): Promise<[string, string | Buffer]> => [`public/${path}`, await content(settings)],
  );
  return new Map<string, string | Buffer>([
    ['index.md', home(settings)],
    ['reference/index.md', referencePage(settings)],
    ...guides().flatMap(({ name, keywords, text }): [string, string][] => [
      [
        `docs/${name}/index.md`,
        `${matter({ keywords, pageClass: name })}${asPage(withTabsAndSettings(text, settings))}`,
      ],
      [`public/docs/${name}.md`, withSettings(text, settings)],
    ]),
    ...problemSections().map(([code, text]): [string, string] => [
      `docs/errors/${code}/index.md`,
      problemPage(code, text),
    ]),
    ...(await Promise.all(downloads)),
    ...readdirSync(IMAGES).map((name): [string, Buffer] => [`public/images/${name}`, readFileSync(join(IMAGES, name))]),
    ['public/favicon.svg', read('functions/console/app/shell/favicon.svg')],
    ['public/scalar.js', await scalarScript()],
    // `npm start` serves its own settings.json (infra/local/start.ts).
    ['public/settings.json', JSON.stringify({ environments: settings.environments })],
  ]);
}
