import { withoutInvisible } from '../../../../lib/base/invisible.ts';

/*
 * Texts that a spreadsheet, or an import, takes for something else. An export puts an apostrophe before them, which an
 * import removes, so that every text survives.
 */

/** A text that was written as a formula, so that a spreadsheet keeps its zeros. */
export const FORMULA_TEXT = /^="((?:[^"]|"")*)"$/;
/** What people and tools write for nothing. */
export const PLACEHOLDER = /^(?:null|\(null\)|#?n\/a|-|–|—)$/i;
/** How a spreadsheet shows an error, in any language, such as `#REF!`, `#¡VALOR!`, `#Н/Д` or `#NV`. */
const ERROR_TEXT = /^#(?:[¡¿]?\p{Lu}[\p{Lu}\p{M}\p{N}/_. ]*[!?]|\p{Lu}{1,3}\/\p{Lu}{1,3}|NV)$/u;

/** Whether a text is how a spreadsheet shows an error, and none of those that people write for nothing. */
export const isError = (text: string): boolean => ERROR_TEXT.test(text.trim()) && !PLACEHOLDER.test(text.trim());

/**
 * Whether an import would change a text, which it compares without what is invisible, or the same after apostrophes.
 */
function isSpecial(text: string): boolean {
  const shown = withoutInvisible(text).replace(/^'+/, '').trim();
  return FORMULA_TEXT.test(shown) || PLACEHOLDER.test(shown) || ERROR_TEXT.test(shown);
}

/** Puts an apostrophe before a text that an import would change, and before apostrophes there. */
export const guardText = (text: string): string => (isSpecial(text) ? `'${text}` : text);

/** The text before {@link guardText}. */
export const unguardText = (text: string): string => (text.startsWith("'") && isSpecial(text) ? text.slice(1) : text);

/*
 * Spreadsheets calculate a cell that begins like a formula, and a cell begins after whatever the spreadsheet takes for
 * a delimiter: a comma, a semicolon, a tab or a line break, also within a cell of ours, and quoted or not.
 */
const START = String.raw`(?<=^|[,;\t\r\n])([ "]*)`;
const FORMULA = String.raw`(?='*[=+\-@＝＋－＠\t\r])`;
const UNGUARDED = new RegExp(START + FORMULA, 'g');
const GUARDED = new RegExp(`${START}'${FORMULA}`, 'g');

/** As {@link guardText}, and before what a spreadsheet could calculate, which in CSV is any text like a formula. */
export function guardCsv(text: string): string {
  const guarded = text.replace(UNGUARDED, "$1'");
  return guarded === text ? guardText(text) : guarded;
}

/** The text before {@link guardCsv}. */
export function unguardCsv(text: string): string {
  const unguarded = text.replace(GUARDED, '$1');
  return unguarded === text ? unguardText(text) : unguarded;
}
