import { cut, wordsIn } from '../../../../lib/base/words.ts';
import type { Schemas } from '../api/client.ts';
import { LISTED_BRANCH } from '../fields/fields.ts';

export type Branch = Schemas['ListedBranch'];
export type Terminal = Schemas['Terminal'] & { last_seen_at: string | null };

/** An ID as one word, without its dashes. */
const idOf = (id: string | null): string => (id === null ? '' : ` ${id.toUpperCase().replaceAll('-', '')}`);

/** The words by which the service finds a text. */
const wordsOf = (text: string | null): string => (text === null ? '' : ` ${wordsIn(text).map(cut).join(' ')}`);

const known = new Map<string | null, string>();

/** The same, of a text that many branches have. */
function knownWordsOf(text: string | null): string {
  const words = known.get(text) ?? wordsOf(text);
  known.set(text, words);
  return words;
}

const FOUND = (Object.entries(LISTED_BRANCH) as [keyof Branch, { isShared: boolean; isFound?: boolean }][]).filter(
  ([, { isFound }]) => isFound,
);

const texts = new WeakMap<Branch, string>();

/** The words of a branch, which all rows of the branch share. */
function branchText(branch: Branch): string {
  const made = texts.get(branch);
  if (made !== undefined) return made;
  const words = FOUND.map(([name, { isShared }]) => (isShared ? knownWordsOf : wordsOf)(branch[name]));
  const text = [idOf(branch.master_merchant_id), ...words].join('');
  texts.set(branch, text);
  return text;
}

/** The words by which a branch is found, between spaces. */
export const branchWords = (branch: Branch): string => `${idOf(branch.mid)}${branchText(branch)} `;

/** A terminal in the table, with its branch if it is known. */
export class Row {
  readonly terminal: Terminal;
  readonly branch: Branch | undefined;
  #text: string | undefined;

  constructor(terminal: Terminal, branch: Branch | undefined) {
    this.terminal = terminal;
    this.branch = branch;
  }

  /** The words by which it is found, between spaces. They are made when they are needed: a table appears before. */
  get text(): string {
    const { terminal_id, serial_no, mid } = this.terminal;
    const { branch } = this;
    this.#text ??= [idOf(terminal_id), idOf(serial_no), idOf(mid), branch ? branchText(branch) : '', ' '].join('');
    return this.#text;
  }
}
