import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withLanguageTabs } from './tabs.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/guides/', import.meta.url));

/**
 * The guides of docs/guides by group, in the order in which they are read, each with words that readers search for and
 * that it does not have.
 */
const GROUPS = {
  'Get started': {
    quickstart: 'begin install setup hello world first request getting started curl typescript javascript node python',
    concepts: 'overview introduction data model dates timezone',
    tools: 'sdk sdks library libraries postman insomnia bruno openapi swagger contract generator test card java php',
    glossary: 'terms definitions meaning words',
    environments: 'sandbox test mode staging live host hostname domain url endpoint',
    'api-keys':
      'authenticate authentication authorization bearer oauth token secret credentials header renew expired stolen',
    'people-and-roles':
      'users team colleagues login sign-in permissions access rights employee staff account admin invite',
    'the-console': 'dashboard browser portal ui interface website web app screen backoffice operations rejected logs',
    'going-live': 'production launch checklist',
  },
  Recipes: {
    'find-a-terminal': 'look up lookup locate sticker serial number',
    'move-a-terminal': 'transfer relocate reassign shop merchant location',
    'swap-a-terminal': 'replace exchange substitute defective dead device',
    'close-a-shop': 'deactivate disable shut remove delete archive branch merchant store',
    'reopen-a-shop': 'undo revert reactivate enable restore unarchive branch merchant store',
  },
  Guides: {
    'change-safely': 'query filter history audit log edit update rename conflict concurrency etag dry run',
    'import-your-estate': 'bulk csv upload migrate batch',
    webhooks:
      'webhook push callback notification subscribe hmac signature verify endpoint listener firewall ip allowlist',
    'mirror-your-estate': 'sync poll polling replicate replication',
    pagination: 'page next list offset cursor',
    'idempotency-and-retries': 'duplicate twice repeat timeout network',
    assistants: 'ai llm chatbot agent prompt injection integration claude chatgpt copilot',
    'rate-limits': 'throttle quota too many requests maximum',
    errors: 'problem status code codes failure unauthorized forbidden 400 401 403 404 422 429 500',
    'refused-requests': 'logs debug debugging troubleshoot rejected failed calls why',
  },
  Help: {
    support: 'contact help email incident outage down uptime status page',
    versions: 'compatibility deprecation deprecated breaking release',
    changelog: 'release notes news history updates',
  },
} satisfies Record<string, Record<string, string>>;

export interface Guide {
  name: string;
  title: string;
  /** Its first paragraph, as plain text. */
  summary: string;
  text: string;
  keywords: string;
}

/** The part of the changelog that is for partners: not what is marked as for others. */
function partnersChangelog(): string {
  const [, ...versions] = readFileSync(`${FOLDER}../../CHANGELOG.md`, 'utf8').split(/^(?=## )/m);
  const [, released = ''] = /^## \[(\d.*?)\]/m.exec(versions.join('')) ?? [];
  return versions
    .join('')
    .replace(/^## \[Unreleased\]/m, `## Since ${released}`)
    .replace(/^## \[(.*?)\]/gm, '## $1')
    .replace(/^- For (?:operators|developers): .*\n(?: {2}.*\n)*/gm, '')
    .replace(/^####? For (?!partners).*\n(?:(?!#).*\n)*/gm, '')
    .replaceAll('#### For partners: ', '#### ')
    .replaceAll('](docs/guides/', '](');
}

/** All guides, in the order in which they are read. */
export const guides = (): Guide[] => guideGroups().flatMap(([, listed]) => listed);

export const guideGroups = (): [group: string, guides: Guide[]][] =>
  Object.entries(GROUPS).map(([group, named]) => [
    group,
    Object.entries(named).map(([name, keywords]) => {
      const source = readFileSync(`${FOLDER}${name}.md`, 'utf8');
      const text = source.replace('<!-- changelog -->\n', partnersChangelog);
      const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
      return { name, title, summary: summaryOf(text), text, keywords };
    }),
  ]);

const summaryOf = (text: string): string => {
  const [, paragraph = ''] = text.split('\n\n');
  return paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\n', ' ');
};

/** A status at the beginning of a paragraph. Markdown would read it as a list item. */
const STATUS = /^(\d{3})\. /gm;

/** A guide as a page of the site. */
export const asPage = (text: string): string =>
  withLanguageTabs(linked(text))
    .replace(STATUS, '$1\\. ')
    .replace(/^( *)- \[ \] /gm, '$1- ☐ ');

/** The sections of the errors guide by problem code, without the leading status. */
export function problemSections(): [code: string, text: string][] {
  const { text = '' } = guides().find(({ name }) => name === 'errors') ?? {};
  return text
    .split(/^## /m)
    .map((section): [string, string] => {
      const [code = '', ...lines] = section.split('\n');
      return [code, linked(lines.join('\n').trim().replace(STATUS, '').replaceAll('](#', '](errors.md#'))];
    })
    .filter(([code]) => /^[a-z_]+$/.test(code));
}

/** Rewrites links between guides, and to the contract, to paths of the site. */
const linked = (markdown: string): string =>
  markdown
    .replace(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, '](/docs/$1/$2)')
    .replaceAll('](../openapi.json)', '](/openapi.json)')
    .replaceAll('](../images/', '](/images/');

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
