import { randomInt } from 'node:crypto';
import type { Schema } from '../../../infra/publish/contract/schemas.ts';
import { DESCRIBED } from '../../support/contract.ts';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A text of four bytes per character that hardly compresses, in planes without characters, which NFC does not change.
 * The last two of each plane are noncharacters.
 */
export const longText = (characters = 255): string =>
  Array.from({ length: characters }, () => {
    const [plane, place] = [randomInt(0x4, 0xe), randomInt(0, 0xfffe)];
    return String.fromCodePoint(0x10000 * plane + place);
  }).join('');

/** An id that hardly compresses. */
export const longId = (length = 255): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');

/** Fields that have a form of their own. */
const FORMED: Record<string, () => string> = {
  email: () => `${longId(63)}@${longId(63)}.${longId(63)}.${longId(63)}`,
  phone: () => `${'1 '.repeat(127)}1`,
  mcc: () => '5812',
};

function longestOf(name: string, { pattern, maxLength }: Schema): string {
  if (FORMED[name]) return FORMED[name]();
  // A required text, or one with letters and digits only.
  if (pattern === undefined || pattern === '[^ \\t\\r\\n]') return longText(Number(maxLength));
  if (/^\^\[0-9A-Za-z\][+*]\$$/.test(String(pattern))) return longId(Number(maxLength));
  throw new Error(`Say in test/proofs/limits/texts.ts what the longest ${name} is.`);
}

const longestIn = ({ properties = {} }: Schema): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, { type, format }]) => [type].flat().includes('string') && format !== 'uuid')
      .map(([name, schema]) => [name, longestOf(name, schema)]),
  );

const { properties: { terminals, mid: _, ...ofBranch } = {} } =
  DESCRIBED.get('createBranch')?.requestBody?.content['application/json'].schema ?? {};

/** Every text of a new branch and its new master merchant, from the contract, as long as it can be. */
export const longBranch = () => ({ ...longestIn({ properties: ofBranch }), mid: longId(64) });

/** Every text of a new terminal. */
export const longTerminal = () => longestIn(terminals?.items ?? {});
