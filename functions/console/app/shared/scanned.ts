import { withoutInvisible } from '../../../../lib/base/invisible.ts';
import { withoutLabel } from '../../../../lib/base/words.ts';

/** An ID or serial number without the spaces and dashes of a sticker, and without what is not shown. */
export const withoutSigns = (text: string): string => withoutInvisible(text).replace(/[\s\p{Pd}]/gu, '');

/**
 * The ID or serial number that is typed or pasted, without the label and the signs of a sticker, such as `S/N: MV-53`. Of
 * a label that is typed, its end comes when the rest is gone.
 */
export const idIn = (text: string): string => withoutSigns(withoutLabel(text)).replace(/^[:#]+/, '');

/** What GS1 codes have after an element without a fixed length, and a scanner sends as Ctrl ]. */
export const GS = '\x1d';

/** What a scanner may send first: a prefix of signs that somebody has set up, and the AIM identifier of the code. */
const PREFIX = /^[^\p{L}\p{N}\](]*(\][A-Za-z][0-9A-Za-z])?/u;
/** AIM identifiers of codes with GS1 elements. */
const GS1_CODES = [']C1', ']e0', ']d2', ']Q3', ']J1'];

/** Lengths of the elements that have a fixed one, by the first two digits (GS1 General Specifications, 7.8.5). */
const LENGTHS = new Map<string, number>(
  Object.entries({ '00': 20, '01': 16, '02': 16, '03': 16, '04': 18, '20': 4, '41': 16 }).concat(
    ['11', '12', '13', '14', '15', '16', '17', '18', '19'].map((identifier) => [identifier, 8]),
    ['31', '32', '33', '34', '35', '36'].map((identifier) => [identifier, 10]),
  ),
);

/** The serial number, element (21), of GS1 elements; `undefined` if they have none. */
function serialOf(elements: string): string | undefined {
  for (let rest = elements; rest !== ''; ) {
    const end = rest.indexOf(GS);
    if (rest.startsWith('21')) return rest.slice(2, end === -1 ? undefined : end);
    const length = LENGTHS.get(rest.slice(0, 2));
    if (length === undefined && end === -1) return undefined;
    rest = rest.slice(length ?? end);
    if (rest.startsWith(GS)) rest = rest.slice(1);
  }
  return undefined;
}

/** Whether a text begins with the element (01): a trade item number with its right check digit. */
function hasItemNumber(elements: string): boolean {
  const [, digits = ''] = /^01(\d{14})/.exec(elements) ?? [];
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return digits !== '' && sum % 10 === 0;
}

/**
 * The code of a scan: without what the scanner has put before it and, of a GS1 code with a serial number, that number.
 * Most scanners do not say that a code is GS1: it is also recognized by its separators, its parentheses, and a first
 * element with a right check digit.
 */
export function codeOf(scan: string): string {
  const [prefix, aim = ''] = PREFIX.exec(scan) ?? [''];
  const text = scan.slice(prefix.length);
  const isGs1 = GS1_CODES.includes(aim) || scan.includes(GS) || hasItemNumber(text);
  const [, printed] = /^(?:\(\d{2,4}\)[^(]+)*?\(21\)([^(]+)/.exec(text) ?? [];
  return printed ?? (isGs1 ? serialOf(text) : undefined) ?? text.replaceAll(GS, '');
}
