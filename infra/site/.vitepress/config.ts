import { createHash } from 'node:crypto';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig, postcssIsolateStyles } from 'vitepress';
import { anchorOf, guides } from '../guides.ts';
import { siteSettings } from '../settings.ts';
import { DOWNLOADS } from '../sources.ts';

const { name, basePath, supportName, supportEmail, supportUrl } = siteSettings();

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
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
};

/** Renders a diagram as SVG in the colours of the theme. */
const diagram = (mermaid: string): string =>
  renderMermaidSVG(mermaid, { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)' })
    // Loads a font from another host.
    .replace(/@import .*;/, '');

const contacts = [
  ...(supportUrl ? [`<a href="${supportUrl}">${supportUrl}</a>`] : []),
  ...(supportEmail ? [`<a href="mailto:${supportEmail}">${supportEmail}</a>`] : []),
];

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
      const { fence } = rules;
      rules.fence = (tokens, at, ...more) => {
        const { info = '', content = '' } = tokens[at] ?? {};
        if (info !== 'mermaid') return fence?.(tokens, at, ...more) ?? '';
        // Vue templates must not contain style elements.
        return `<div class="diagram" v-html="${escapeHtml(JSON.stringify(diagram(content)))}"></div>`;
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Guides', link: '/docs/quickstart/', activeMatch: '/docs/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: [
      { text: 'Guides', items: guides().map(({ name: guide, title }) => ({ text: title, link: `/docs/${guide}/` })) },
      { text: 'Reference', items: [{ text: 'All operations', link: '/reference/' }] },
      {
        text: 'Downloads',
        items: DOWNLOADS.map(({ path, title }) => ({ text: title, link: `/${path}`, target: '_self' })),
      },
    ],
    outline: [2, 3],
    ...(contacts.length > 0 && { footer: { message: `${supportName}: ${contacts.join(', ')}` } }),
  },
  vite: {
    build: { target: 'es2022', chunkSizeWarningLimit: 1000 },
    css: { postcss: { plugins: [postcssIsolateStyles()] } },
  },
});
