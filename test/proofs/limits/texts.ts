import { randomInt } from 'node:crypto';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A text of four bytes per character that hardly compresses, in planes without characters, which NFC does not change. The last
 * two of each plane are noncharacters.
 */
export const longText = (characters = 255): string =>
  Array.from({ length: characters }, () => {
    const [plane, place] = [randomInt(0x4, 0xe), randomInt(0, 0xfffe)];
    return String.fromCodePoint(0x10000 * plane + place);
  }).join('');

/** An id that hardly compresses. */
export const longId = (length = 255): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
