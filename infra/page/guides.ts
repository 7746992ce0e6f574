import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const GUIDES = fileURLToPath(new URL('../../docs/guides', import.meta.url));

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** A guide in HTML. Its headings have anchors, the first of two that are the same. */
function bodyOf(markdown: string): string {
  const anchors = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text);
        const id = anchors.has(anchor) ? '' : ` id="${anchor}"`;
        anchors.add(anchor);
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const guide = /^([\w-]+)\.md(#.*)?$/.exec(href);
        const to = guide ? `../${guide[1]}/${guide[2] ?? ''}` : href;
        return `<a href="${to}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Acquirer Partner API</title>
    <link rel="icon" href="../../favicon.svg">
    <link rel="stylesheet" href="../../page.css">
  </head>
  <body>
    <main>
      <p><a href="../../">Reference</a></p>
${body}
    </main>
  </body>
</html>
`;

/** The guides as pages: `docs/errors/index.html` and so on. A problem's `type` is a section of that one. */
export const guidePages = (): [path: string, html: string][] =>
  globSync('*.md', { cwd: GUIDES }).map((file) => {
    const markdown = readFileSync(join(GUIDES, file), 'utf8');
    const [, title = ''] = /^# (.*)$/m.exec(markdown) ?? [];
    return [`docs/${basename(file, '.md')}/index.html`, page(title, bodyOf(markdown))];
  });
