import { createHash } from 'node:crypto';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig, postcssIsolateStyles } from 'vitepress';
import { anchorOf, guides } from '../guides.ts';
import { siteSettings } from '../settings.ts';
import { DOWNLOADS } from '../sources.ts';

const { name, basePath, supportName, supportEmail, supportUrl } = siteSettings();

/** A script in the page itself runs only if the policy has its hash. */
const policyOf = (html: string): string => {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)];
  const hashes = inline.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    // Highlighting and the reference set `style` attributes, which cannot have hashes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
};

/** A diagram in the colours of the page. */
const diagram = (mermaid: string): string =>
  renderMermaidSVG(mermaid, { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)' })
    // It would load a font from elsewhere.
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
  // Otherwise a download of a type that it does not know gets the name of a page.
  cleanUrls: true,
  srcDir: process.env['SITE_SOURCES'],
  srcExclude: ['public/**'],
  cacheDir: `${process.env['SITE_SOURCES']}/.cache`,
  // The scripts that it would put into each page.
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
        // Vue takes no styles in a template.
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
    // The oldest that browsers of today need not, and that esbuild still makes.
    build: { target: 'es2022', chunkSizeWarningLimit: 1000 },
    css: { postcss: { plugins: [postcssIsolateStyles()] } },
  },
});
