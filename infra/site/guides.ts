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

/** The guides in the order in which each links to the next. */
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

/** A status at the beginning of a paragraph, which Markdown takes for a list. */
const STATUS = /^(\d{3})\. /gm;

/** A guide as a page of the site, which has links of its own to the next one. */
export const asPage = (text: string): string => linked(text).replace(NEXT, '').replace(STATUS, '$1\\. ');

/** The sections of the guide to errors on problems, by their codes and without their statuses. */
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

/** Links between guides, as paths of the site. */
const linked = (markdown: string): string => markdown.replace(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, '](/docs/$1/$2)');

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
