import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type DefaultTheme,
  defineConfig,
  type MarkdownEnv,
  type MarkdownRenderer,
  postcssIsolateStyles,
} from 'vitepress';
import { anchorOf, guideGroups } from '../guides.ts';
import { consolesOf, siteSettings } from '../settings.ts';
import { DOWNLOADS } from '../sources.ts';

const settings = siteSettings();
const { name, basePath, environments } = settings;

/** The origins that the reference can send requests to. */
const SENDABLE = new Set(
  environments.filter(({ can_send }) => can_send).map(({ base_url }) => new URL(base_url).origin),
);

/** The Content-Security-Policy of a page. Inline scripts run only if it has their hashes. */
const policyOf = (html: string): string => {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)];
  const hashes = inline.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    // Highlighting and the reference use `style` attributes, which cannot be allowed by hash.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...SENDABLE].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
};

/** Lets long identifiers and paths break on phones, between their words. */
const withBreaks = (html: string): string =>
  html.replace(/(?<=>)[^<]+/g, (text) => text.replace(/[_/?](?=\w)/g, '$&<wbr>'));

/** Marks the site's address, which the page fills in (theme/index.js). */
const withAddress = (html: string): string => html.replaceAll('{site}', '<span data-site>{site}</span>');

const sidebar = guideGroups().map(([text, listed]) => ({
  text,
  items: listed.map(({ title, name: guide }) => ({ text: title, link: `/docs/${guide}/` })),
}));

/** Where the entry "Console" leads: to the console, to a choice of several, or else to what the console is. */
const [onlyConsole, ...moreConsoles] = consolesOf(settings);
const consoleEntry =
  moreConsoles.length > 0 ? { items: consolesOf(settings) } : (onlyConsole ?? { link: '/docs/the-console/' });

/** Takes the place of the package `minisearch`. */
const SEARCH_ENGINE = join(import.meta.dirname, 'theme/minisearch.js');

const search: DefaultTheme.LocalSearchOptions = {
  // Shows what each page says of the words.
  detailedView: true,
  // Without a label of its own, the button is named by its text, which has the shortcut.
  translations: { button: { buttonText: 'Search', buttonAriaLabel: '' } },
  miniSearch: { searchOptions: { boost: { title: 4, titles: 1, text: 3 }, fuzzy: 0.2, prefix: true } },
};
/**
 * Indexes a page without its code, and with its `keywords`. Not enumerable, because VitePress sends enumerable functions
 * to the browser as text, and the policy of the pages forbids evaluating it.
 */
Object.defineProperty(search, '_render', {
  value: (markdown: string, env: MarkdownEnv, md: MarkdownRenderer) => {
    const html = md.render(markdown, env).replace(/<div class="language-.*?<\/code><\/pre>/gs, '');
    const { search: isSearched = true, keywords = '' } = env.frontmatter ?? {};
    return isSearched ? html.replace('</h1>', `</h1><p>${keywords}</p>`) : '';
  },
});

export default defineConfig({
  lang: 'en',
  title: name,
  description: `Guides and reference of the ${name}.`,
  base: basePath,
  // Without it, links to files of unknown types get the extension .html.
  cleanUrls: true,
  srcDir: process.env['SITE_SOURCES'],
  srcExclude: ['public/**'],
  cacheDir: `${process.env['SITE_SOURCES']}/.cache`,
  // Puts a script of metadata into a file instead of every page.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `${basePath}favicon.svg` }]],
  transformHtml: (html) =>
    html.replace('<meta charset="utf-8">', `$&<meta http-equiv="Content-Security-Policy" content="${policyOf(html)}">`),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    config: ({ renderer: { rules }, utils: { escapeHtml } }) => {
      const { fence, code_inline: codeInline } = rules;
      rules.fence = (tokens, at, ...more) => {
        const { info = '' } = tokens[at] ?? {};
        const [, file] = /\[(.+\.\w+)\]/.exec(info) ?? [];
        const html = withAddress(fence?.(tokens, at, ...more) ?? '');
        return file ? `<p class="file">${escapeHtml(file)}</p>${html}` : html;
      };
      rules.code_inline = (...args) => withBreaks(withAddress(codeInline?.(...args) ?? ''));
    },
  },
  themeConfig: {
    search: { provider: 'local', options: search },
    logo: '/favicon.svg',
    notFound: { quote: 'The address may be mistyped, or the page has moved.', linkLabel: 'Take me home' },
    nav: [
      { text: 'Guides', link: '/docs/quickstart/', activeMatch: '/docs/' },
      { text: 'Reference', link: '/reference/' },
      { ...consoleEntry, text: 'Console' },
    ],
    sidebar: [
      ...sidebar,
      { text: 'Reference', items: [{ text: 'All operations', link: '/reference/' }] },
      {
        text: 'Downloads',
        items: DOWNLOADS.map(({ path, title }) => ({ text: title, link: `/${path}`, target: '_self' })),
      },
    ],
    outline: [2, 3],
  },
  vite: {
    plugins: [
      {
        name: 'search-engine',
        enforce: 'pre',
        resolveId: (id, from) => (id === 'minisearch' && from !== SEARCH_ENGINE ? SEARCH_ENGINE : undefined),
      },
    ],
    build: { target: 'es2022', chunkSizeWarningLimit: 1000 },
    css: { postcss: { plugins: [postcssIsolateStyles()] } },
  },
});
