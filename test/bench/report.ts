import type { Setting } from './machine.ts';
import type { Part, Result } from './part.ts';
import { markdownTable } from './tables.ts';

/** The results of a part, with their date and environment. */
type Measurement = Pick<Part, 'title' | 'about'> & Setting & { result: Result };

/** The latest measurement of each part by name, as stored in `docs/benchmarks.json`. */
export type Report = Record<string, Measurement>;

const INTRODUCTION = `# Benchmarks

Table usage, CPU time and cost of the service, next to alternative designs that were measured in the same run. Requests, units
and bytes are the same on every machine. Times depend on the machine, so compare only their ratios. Times of cold starts are
medians of several fresh processes; each other part says what its times are.

\`npm run bench\` measures all parts and writes this page; \`npm run bench -- --help\` lists its options.
A gate is a target that fails the run if it is not met. Targets that depend on times are not gates.
`;

/** Joins the non-empty texts. */
const paragraphs = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n\n');

/** The results of a part in Markdown: its targets, tables and notes. */
export const findings = ({ targets, tables, notes = [] }: Result): string =>
  paragraphs(
    markdownTable(
      targets.map(({ target, measured, isMet, isTime }) => ({
        target,
        measured,
        met: isMet ? 'yes' : 'no',
        gate: isTime ? 'no' : 'yes',
      })),
    ),
    ...tables.map(({ title, rows }) => paragraphs(`### ${title}`, markdownTable(rows))),
    notes.map((note) => `- ${note}`).join('\n'),
  );

const section = (name: string, { title, about, date, machine, versions, result }: Measurement): string => {
  const installed = Object.entries(versions).map((each) => each.join(' '));
  return paragraphs(
    `## ${title}`,
    about,
    findings(result),
    `\`npm run bench ${name}\` on ${date}: ${machine}; ${installed.join(', ')}.`,
  );
};

/** The published texts of a report by their paths below `docs/`. The same report makes the same texts. */
export const filesOf = (report: Report): Record<string, string> => ({
  'benchmarks.json': `${JSON.stringify(report, null, 2)}\n`,
  'benchmarks.md': [INTRODUCTION, ...Object.entries(report).map(([name, each]) => `${section(name, each)}\n`)].join(
    '\n',
  ),
});
