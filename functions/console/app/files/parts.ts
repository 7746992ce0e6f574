import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';
import { UnreadableFile } from './unreadable.ts';

/** How many bytes all parts of a workbook that are read may inflate to, and how many parts it may have. */
const MOST_INFLATED = 100 * 1024 * 1024;
const MOST_PARTS = 10_000;

const nameOf = (part: string): string => part.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

/**
 * The parts of a workbook. What is in the zip, and how large it is, is decided here only.
 *
 * @throws UnreadableFile if it has too many parts, or those that are read inflate to too much.
 */
export class Parts {
  readonly #zip: Uint8Array;
  #left = MOST_INFLATED;

  constructor(zip: Uint8Array) {
    this.#zip = zip;
  }

  /** Inflates parts, each up to the size that the zip states. A part that is missing has no bytes. */
  read(...parts: string[]): (part: string) => Uint8Array | undefined {
    const wanted = new Set(parts.map(nameOf));
    const seen = new Set<string>();
    let count = 0;
    const inflated = unzipSync(this.#zip, {
      filter: ({ name, originalSize }) => {
        count += 1;
        if (count > MOST_PARTS) throw new UnreadableFile('inflated');
        if (!wanted.has(nameOf(name))) return false;
        if (seen.has(nameOf(name))) throw new Error('Two parts have one name.');
        seen.add(nameOf(name));
        this.#left -= originalSize;
        if (this.#left < 0) throw new UnreadableFile('inflated');
        return true;
      },
    });
    const found = new Map(Object.entries(inflated).map(([name, bytes]) => [nameOf(name), bytes]));
    return (part) => found.get(nameOf(part));
  }
}

export type Attributes = Partial<Record<string, string>>;

/** What is called for each element and text of a part. Names have no prefix. */
interface Elements {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

const PREFIX = /^[^:]*:/;
const ENCODING = /^<\?xml[^>]*encoding=["']([\w-]+)["']/;
/** How many bytes are decoded at once. */
const CHUNK = 1024 * 1024;

function encodingOf([first, second]: Uint8Array, start: string): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return ENCODING.exec(start.replace('ï»¿', ''))?.[1] ?? 'utf-8';
}

/**
 * Parses a part of a workbook as strict XML, so that one that was cut off is refused.
 *
 * @throws Error if it is not well-formed.
 */
export function parsePart(bytes: Uint8Array, { open, text, close }: Elements): void {
  const decoder = new TextDecoder(encodingOf(bytes, String.fromCharCode(...bytes.subarray(0, 200))), { fatal: true });
  const parser = new SaxesParser({ position: false, xmlns: false });
  if (open) parser.on('opentag', ({ name, attributes }) => open(name.replace(PREFIX, ''), attributes));
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  if (close) parser.on('closetag', ({ name }) => close(name.replace(PREFIX, '')));
  for (let at = 0; at < bytes.length; at += CHUNK)
    parser.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }));
  parser.write(decoder.decode()).close();
}
