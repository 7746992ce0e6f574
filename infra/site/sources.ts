import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CATALOGUE, type ProblemCode } from '../../lib/base/problem.ts';
import { packClient } from '../contract/clientPackage.ts';
import { asPage, guides, problemSections } from './guides.ts';
import { scalarScript } from './scalar.ts';
import type { SiteSettings } from './settings.ts';

/*
 * The sources of the VitePress build: pages in Markdown, and `public/`, which it copies.
 */

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

type Operation = { operationId: string; summary: string; description: string; tags: [string] };
interface Contract {
  info: { title: string; description: string; contact: object };
  paths: Record<string, Record<string, Operation>>;
}

/** The contract with the site's name and support contact. */
function contractOf({ name, supportName, supportEmail, supportUrl }: SiteSettings): Contract {
  const contract: Contract = JSON.parse(read('docs/openapi.json'));
  const contact = {
    name: supportName,
    ...(supportEmail && { email: supportEmail }),
    ...(supportUrl && { url: supportUrl }),
  };
  const hasContact = supportEmail || supportUrl;
  return { ...contract, info: { ...contract.info, title: name, ...(hasContact && { contact }) } };
}

/** A file for download from the site. */
interface Download {
  /** Its path in the site. */
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
  { path: 'postman.json', title: 'Postman collection', content: () => read('docs/postman.json') },
  { path: 'downloads/acquirer-partner-api-client.tgz', title: 'Typed client (npm)', content: packClient },
  { path: 'llms.txt', title: 'Index for language models', content: llmsIndex },
  {
    path: 'llms-full.txt',
    title: 'All guides as one text',
    content: () =>
      guides()
        .map(({ text }) => text)
        .join('\n'),
  },
];

/** The index that https://llmstxt.org describes. */
function llmsIndex(settings: SiteSettings): string {
  const { basePath } = settings;
  const { info } = contractOf(settings);
  const lines = guides().map(({ name, title, summary }) => `- [${title}](${basePath}docs/${name}.md): ${summary}`);
  return `# ${info.title}

> ${info.description.replaceAll('\n', ' ')}

## Guides

${lines.join('\n')}

## Reference

- [OpenAPI contract](${basePath}openapi.json): every operation with its parameters, bodies, responses and errors
- [Postman collection](${basePath}postman.json): the same operations as requests that run from top to bottom
`;
}

const matter = (fields: object): string => `---\n${JSON.stringify(fields)}\n---\n\n`;

const home = (settings: SiteSettings): string => {
  const { summary } = JSON.parse(read('docs/openapi.json')).info;
  const fields = {
    layout: 'home',
    hero: {
      name: settings.name,
      tagline: summary,
      actions: [
        { text: 'Quickstart', link: '/docs/quickstart/' },
        { text: 'Reference', link: '/reference/', theme: 'alt' },
      ],
    },
    features: guides().map(({ name, title, summary: details }) => ({ title, details, link: `/docs/${name}/` })),
  };
  return matter(fields);
};

const problemPage = (code: string, text: string): string => {
  const [status, title] = CATALOGUE[code as ProblemCode];
  return `${matter({ search: false, prev: false, next: false })}# ${title}

\`${status}\` \`${code}\`

${text}

[All errors](/docs/errors/)
`;
};

/** The anchor of an operation in the reference. */
const operationAnchor = ({ tags: [tag], operationId }: Operation): string =>
  `api-1/tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`;

/** The text of the reference, for readers without JavaScript and for the search index. */
function referencePage(settings: SiteSettings): string {
  const { paths } = contractOf(settings);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const sections = operations.map(
    (operation) => `## ${operation.summary} {#${operationAnchor(operation)}}

\`${operation.method} ${operation.path}\`

${operation.description}
`,
  );
  return `${matter({ layout: 'Reference', sidebar: false, pageClass: 'whole' })}# Reference\n\n${sections.join('\n')}`;
}

/** The site's sources by path. */
export async function sources(settings: SiteSettings): Promise<Map<string, string | Buffer>> {
  const downloads = DOWNLOADS.map(
    async ({ path, content }): Promise<[string, string | Buffer]> => [`public/${path}`, await content(settings)],
  );
  return new Map<string, string | Buffer>([
    ['index.md', home(settings)],
    ['reference/index.md', referencePage(settings)],
    ...guides().flatMap(({ name, text }): [string, string][] => [
      [`docs/${name}/index.md`, asPage(text)],
      [`public/docs/${name}.md`, text],
    ]),
    ...problemSections().map(([code, text]): [string, string] => [
      `docs/errors/${code}/index.md`,
      problemPage(code, text),
    ]),
    ...(await Promise.all(downloads)),
    ['public/favicon.svg', read('infra/site/favicon.svg')],
    ['public/scalar.js', await scalarScript()],
    // `npm start` serves its own settings.json (infra/local/start.ts).
    ['public/settings.json', '{}'],
  ]);
}
