import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** A row of a table, by column. */
export type Row = Record<string, string | number>;

/** The results of a part. */
export interface Result {
  /** Rows by the title of their table. */
  tables: Record<string, Row[]>;
  /** Notes for the reader, one sentence or more each. */
  notes?: string[];
  /** Targets that are not met, a sentence each. */
  unmet?: string[];
}

/** A part of the bench. */
export interface Part {
  title: string;
  /** What is measured and how, in a sentence or two. */
  about: string;
  /** @param runs The number of fresh processes of which a cold start is the median. */
  measure: (runs: number) => Promise<Result>;
}

const REPORT = new URL('../../docs/benchmarks.md', import.meta.url);

/** The value below which half of the values are; 0 if there are none. */
export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** Formats a number: 1234.5 is `1,234.5`. */
const figure = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 10 });

/** Complains if a figure is above its target. */
export const above = (most: number, what: string, measured: number): string[] =>
  measured > most ? [`${what}: ${figure(measured)}, but the target is at most ${figure(most)}.`] : [];

/** Rows as a Markdown table. Columns of numbers are aligned right. */
function markdownTable(rows: Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const isNumeric = (name: string) => rows.every((row) => typeof row[name] === 'number');
  return [
    line(names),
    line(names.map((name) => (isNumeric(name) ? '--:' : '---'))),
    ...rows.map((row) => line(Object.values(row).map((cell) => (typeof cell === 'number' ? figure(cell) : cell)))),
  ].join('\n');
}

/** The results of a part in Markdown: its tables and notes. */
export const findings = ({ tables, notes = [] }: Result): string =>
  [
    ...Object.entries(tables).map(([title, rows]) => `### ${title}\n\n${markdownTable(rows)}`),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n');

/** Puts the results of a part in the place of its section in docs/benchmarks.md, or at the end. */
export function publish(name: string, { title, about }: Part, result: Result): void {
  const today = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}`;
  const measured = `\`npm run bench ${name}\` on ${today}: ${machine}.`;
  const section = `## ${title}\n\n${about}\n\n${findings(result)}\n\n${measured}`;
  const sections = readFileSync(REPORT, 'utf8')
    .split(/^(?=## )/m)
    .map((each) => each.trim());
  const at = sections.findIndex((each) => each.startsWith(`## ${title}\n`));
  sections.splice(at === -1 ? sections.length : at, 1, section);
  writeFileSync(REPORT, `${sections.join('\n\n')}\n`);
}
