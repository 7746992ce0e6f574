import { withoutInvisible } from '../../../../lib/base/invisible.ts';
import type { Schemas } from '../api/client.ts';

export type Branch = Schemas['ListedBranch'];
export type Terminal = Schemas['Terminal'] & { last_seen_at: string | null };

/** Letters that Unicode does not decompose, as the search of the service has them. */
const LETTERS: Record<string, string> = { Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T', Þ: 'TH', Æ: 'AE', Œ: 'OE' };
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const APOSTROPHES = /['`´’‘ʼ′]/g;
const PUNCTUATION = /[\p{P}\s]+/gu;
const ASCII_PUNCTUATION = /[^A-Z0-9$+<=>^|~]+/g;

/**
 * Folds a text: case, accents and apostrophes do not count, and other punctuation is a space. In capitals, because `ß`
 * and `SS`, or `σ` and `ς`, are the same there.
 */
export function fold(text: string): string {
  const plain = text.replace(APOSTROPHES, '');
  // Most texts are ASCII, and this takes a fifth of the time.
  if (/^[ -~]*$/.test(plain)) return plain.toUpperCase().replace(ASCII_PUNCTUATION, ' ').trim();
  return plain
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toUpperCase()
    .replace(LETTER, (letter) => LETTERS[letter] as string)
    .replace(PUNCTUATION, ' ')
    .trim();
}

/** An ID or serial number without what does not count, such as spaces, dashes and what is not shown. */
export const plainId = (text: string): string =>
  withoutInvisible(text)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();

/** An ID without its dashes. */
const idOf = (id: string | null): string => (id === null ? '' : id.toUpperCase().replaceAll('-', ''));

const texts = new WeakMap<Branch, string>();

/** The folded text of a branch, which all rows of the branch share. */
function branchText(branch: Branch): string {
  const known = texts.get(branch);
  if (known !== undefined) return known;
  const { merchant_name, area, city, master_merchant_name, master_merchant_id } = branch;
  const names = [merchant_name, area, city, master_merchant_name].map((name) => (name === null ? '' : fold(name)));
  const text = [idOf(master_merchant_id), ...names].join('\n');
  texts.set(branch, text);
  return text;
}

/** A terminal in the table, with its branch if it is known. */
export class Row {
  readonly terminal: Terminal;
  readonly branch: Branch | undefined;
  #text: string | undefined;

  constructor(terminal: Terminal, branch: Branch | undefined) {
    this.terminal = terminal;
    this.branch = branch;
  }

  /** What a text is searched in, folded. It is made when it is needed, so that a table appears before. */
  get text(): string {
    const { terminal_id, serial_no, mid } = this.terminal;
    const { branch } = this;
    this.#text ??= [idOf(terminal_id), idOf(serial_no), idOf(mid), branch ? branchText(branch) : ''].join('\n');
    return this.#text;
  }
}
