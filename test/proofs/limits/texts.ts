import { randomInt } from 'node:crypto';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text of four bytes per character that hardly compresses, in planes without characters, which NFC does not change. */
export const longText = (characters = 255): string =>
  Array.from({ length: characters }, () => String.fromCodePoint(randomInt(0x40000, 0xe0000))).join('');

/** An id that hardly compresses. */
export const longId = (length = 255): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
