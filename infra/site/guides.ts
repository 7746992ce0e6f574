import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
const FIRST = 'quickstart';
const NEXT = /^Next: \[.+\]\((\S+)\.md\)\n/m;

/** A guide of docs/guides. */
export interface Guide {
  name: string;
  title: string;
  /** Its first paragraph, as plain text. */
  summary: string;
  text: string;
}

/** The guides from `name` on, in the order of their "Next" links. */
export function guides(name = FIRST): Guide[] {
  const text = readFileSync(`${FOLDER}${name}.md`, 'utf8');
  const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
  const [, next] = NEXT.exec(text) ?? [];
  return [{ name, title, summary: summaryOf(text), text }, ...(next ? guides(next) : [])];
}

const summaryOf = (text: string): string => {
  const [, paragraph = ''] = text.split('\n\n');
  return paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\n', ' ');
};

/** A status at the beginning of a paragraph. Markdown would read it as a list item. */
const STATUS = /^(\d{3})\. /gm;

/** A guide as a page of the site. Removes the "Next" link, because the site adds its own. */
export const asPage = (text: string): string => linked(text).replace(NEXT, '').replace(STATUS, '$1\\. ');

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

/** Rewrites links between guides to paths of the site. */
const linked = (markdown: string): string => markdown.replace(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, '](/docs/$1/$2)');

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
