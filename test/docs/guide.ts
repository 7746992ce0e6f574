/*
 * Guides are run as they are written. A ```sh block is a command; a ```json, ```http or ```text block after it is the
 * output that the guide promises. A block with a file name, such as ```ts [quickstart.ts], is saved under that name. In
 * promised output, `…` in a string or a header matches any text, `"…"` matches any value, and a bare `…` matches
 * whatever else is there. A ~~~http block shows what the service sends: no command prints it, so it is not compared.
 */

type Format = 'json' | 'http' | 'text';

/** A command of a guide with its promised output, if any. */
export interface Step {
  /** The heading above it. */
  section: string;
  command: string;
  format?: Format;
  promised?: string;
}

export interface Guide {
  name: string;
  text: string;
  steps: Step[];
  /** Files that the reader saves, by name. */
  files: Map<string, string>;
}

/** The parsed output of a command. */
type Printed = { [name: string]: Printed } | Printed[] | string | number | boolean | null | undefined;

export function parseGuide(name: string, text: string): Guide {
  const steps: Step[] = [];
  const files = new Map<string, string>();
  let section = '';
  const parts = text.matchAll(/^## ([^\n]+)$|^```(\w*)(?: \[([^\n]+)\])?\n(.*?)^```$/gms);
  for (const [, heading, language = '', file, content = ''] of parts) {
    if (heading !== undefined) section = heading;
    else addBlock(steps, { section, language, file, content });
    if (file !== undefined) files.set(file, content);
  }
  return { name, text, steps, files };
}

/** A block of a guide. */
interface Block {
  section: string;
  language: string;
  file: string | undefined;
  content: string;
}

/**
 * Adds a block of a guide to its steps: a file to save, a command, or what the command before it prints.
 *
 * @throws Error for any other block, because no guide may show output that is not checked.
 */
function addBlock(steps: Step[], { section, language, file, content }: Block): void {
  const before = steps.at(-1);
  if (file !== undefined) steps.push({ section, command: `cat > '${file}' << 'END_OF_FILE'\n${content}END_OF_FILE\n` });
  else if (language === 'sh') steps.push({ section, command: content });
  else if (Object.hasOwn(READERS, language) && before && before.promised === undefined)
    Object.assign(before, { format: language, promised: content });
  else throw new Error(`"${section}" has a block "${language}" that no command prints.`);
}

/** Stands for any number of omitted items of a list or fields of an object. */
const REST = '… and more';

/** Parses JSON in which a bare `…` stands for omitted parts. */
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

/** Parses JSON; other text is returned unchanged, so that it shows up in the comparison. */
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

/** The objects, at any depth, that a step promises without leaving any field out. */
export function wholeObjects({ format, promised = '' }: Step): object[] {
  const inside = (value: Printed): object[] => {
    if (typeof value !== 'object' || value === null) return [];
    const isWhole = !Array.isArray(value) && !(REST in value);
    return [...(isWhole ? [value] : []), ...Object.values(value).flatMap(inside)];
  };
  return format ? inside(READERS[format](promised, parsePromised)) : [];
}

/** Returns a step's output and its promised output with the open parts filled in; they must be equal. */
export function compared(step: Step, output: string): { printed: Printed; promised: Printed } | undefined {
  const { format, promised = '' } = step;
  if (!format) return undefined;
  const read = READERS[format];
  const printed = read(output, parsePrinted);
  return { printed, promised: filled(read(promised, parsePromised), printed) };
}

/** The promised output, with the parts that it leaves open taken from the actual output. */
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
