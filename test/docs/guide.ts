import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/*
 * Guides are run as they are written. A ```sh block is a command; the ```json, ```http or ```text block after it, if there is one, is what it
 * prints. A block with a file name, such as ```ts [quickstart.ts], is saved under that name. In what is printed, `…` in a string or a header is
 * any text, `"…"` any value, and a bare `…` whatever else there is.
 */

const FOLDER = 'docs/guides';

type Format = 'json' | 'http' | 'text';

/** A command of a guide and, where the guide says it, what it prints. */
export interface Step {
  /** The heading that it is under. */
  section: string;
  command: string;
  format?: Format;
  promised?: string;
}

export interface Guide {
  name: string;
  text: string;
  steps: Step[];
  /** Files that the reader saves, by their names. */
  files: Map<string, string>;
}

/** What a command printed, as far as it can be read. */
type Printed = { [name: string]: Printed } | Printed[] | string | number | boolean | null | undefined;

/** The guides in the order in which each links to the next, from the first on. */
export function guidesFrom(first: string): Guide[] {
  const file = join(FOLDER, first);
  const guide = parseGuide(file, readFileSync(file, 'utf8'));
  const [, next] = /^Next: \[.+\]\((\S+)\)$/m.exec(guide.text) ?? [];
  return next ? [guide, ...guidesFrom(next)] : [guide];
}

/** @param file For its name and for error messages. */
export function parseGuide(file: string, text: string): Guide {
  const steps: Step[] = [];
  const files = new Map<string, string>();
  let section = '';
  // A block in a quotation is a block like any other.
  const parts = text.replace(/^> ?/gm, '').matchAll(/^## ([^\n]+)$|^```(\w*)(?: \[([^\n]+)\])?\n(.*?)^```$/gms);
  for (const [, heading, language = '', saved, content = ''] of parts) {
    const before = steps.at(-1);
    if (heading !== undefined) section = heading;
    else if (saved !== undefined) {
      files.set(saved, content);
      steps.push({ section, command: `cat > '${saved}' << 'END_OF_FILE'\n${content}END_OF_FILE\n` });
    } else if (language === 'sh') steps.push({ section, command: content });
    else if (Object.hasOwn(READERS, language) && before && before.promised === undefined)
      Object.assign(before, { format: language, promised: content });
    // So that nothing in a guide looks like a response that has not been tried.
    else if (language !== 'mermaid') throw new Error(`${file}: a block "${language}" that no command prints`);
  }
  return { name: basename(file), text, steps, files };
}

/** What is left out: an item of a list, or a name in an object, that stands for any number of others. */
const REST = '… and more';

/** JSON in which a bare `…` stands for whatever is left out. */
function parsePromised(json: string): Printed {
  const open: string[] = [];
  const valid = json.replace(/"(?:[^"\\]|\\.)*"|[[{\]}…]/g, (token) => {
    if (token === '[' || token === '{') open.push(token);
    if (token === ']' || token === '}') open.pop();
    if (token !== '…') return token;
    return open.at(-1) === '{' ? `"${REST}": null` : `"${REST}"`;
  });
  return JSON.parse(valid);
}

/** JSON; what is none stays the text that it is, to be seen where it differs from what was promised. */
function parsePrinted(json: string): Printed {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

const parseHttp = (text: string, parseBody: (json: string) => Printed): Printed => {
  const [, head = '', body = ''] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(text) ?? [];
  const [status, ...headers] = head.split(/\r?\n/);
  const named = headers.map((line) => {
    const [name = '', ...value] = line.split(': ');
    return line === '…' ? [REST, null] : [name.toLowerCase(), value.join(': ')];
  });
  return { status, headers: Object.fromEntries(named), body: parseBody(body) };
};

const READERS: Record<Format, (text: string, parseJson: (json: string) => Printed) => Printed> = {
  json: (text, parseJson) => parseJson(text),
  http: parseHttp,
  text: (text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => (line === '…' ? REST : line)),
};

/** What a step printed, and the same as its guide promises it. They are to be equal. */
export function compared(step: Step, output: string): { printed: Printed; promised: Printed } | undefined {
  const { format, promised = '' } = step;
  if (!format) return undefined;
  const read = READERS[format];
  const printed = read(output, parsePrinted);
  return { printed, promised: filled(read(promised, parsePromised), printed) };
}

/** What is promised, with all that it leaves open taken from what was printed. */
function filled(promised: Printed, printed: Printed): Printed {
  if (typeof promised === 'string') return isOpenFor(promised, printed) ? printed : promised;
  if (Array.isArray(promised)) {
    const items = promised.filter((item) => item !== REST);
    const there = Array.isArray(printed) ? printed : [];
    const rest = items.length < promised.length ? there.slice(items.length) : [];
    return [...items.map((item, at) => filled(item, there[at])), ...rest];
  }
  if (typeof promised === 'object' && promised !== null) {
    const { [REST]: rest, ...named } = promised;
    const there = typeof printed === 'object' && !Array.isArray(printed) ? (printed ?? {}) : {};
    const values = Object.entries(named).map(([name, value]) => [name, filled(value, there[name])]);
    return { ...(rest === null && there), ...Object.fromEntries(values) };
  }
  return promised;
}

function isOpenFor(promised: string, printed: Printed): boolean {
  if (promised === '…') return printed !== undefined;
  const pattern = promised.split('…').map(RegExp.escape).join('.*');
  return typeof printed === 'string' && new RegExp(`^${pattern}$`, 's').test(printed);
}
