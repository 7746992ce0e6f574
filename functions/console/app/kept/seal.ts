/*
 * Bytes in, sealed bytes out (AES-256-GCM): what a browser keeps can only be read with a session, which gives the key.
 */

/** Whose it is: a person's, as one of the acquirers of their session. */
export interface Owner {
  person: { id: string };
  acquirer: { id: string; browser_key: string };
}

/** It was sealed with another key, under another name, or it was changed. */
export class NotOpened extends Error {
  override name = 'NotOpened';
}

/** Random, so that records of one key differ: 2^32 of them are safe (NIST SP 800-38D, 8.3). */
const IV_BYTES = 12;
const LENGTH_BYTES = 4;
/** All that is shorter has this length. */
const LEAST_BYTES = 4_096;

/**
 * A length that tells the magnitude only, at most 12 % longer (Padmé: Nikitin et al., “Reducing Metadata Leakage from
 * Encrypted Files and Communication with PURBs”, 2019): only the first bits of a number are not 0, as many as its exponent has.
 */
function paddedLength(needed: number): number {
  const length = Math.max(LEAST_BYTES, needed);
  const exponent = Math.floor(Math.log2(length));
  const unit = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1);
  return Math.ceil(length / unit) * unit;
}

/** Scripts can use the key, and cannot read it. */
function imported(text: string) {
  const raw = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

const keys = new Map<string, ReturnType<typeof imported>>();

function keyOf({ acquirer: { browser_key } }: Owner) {
  const key = keys.get(browser_key) ?? imported(browser_key);
  keys.set(browser_key, key);
  return key;
}

const algorithm = (name: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(name),
});

/**
 * Seals bytes for an owner.
 *
 * @param name Where they are kept. Under another name, they are not opened.
 */
export async function seal(owner: Owner, name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const needed = LENGTH_BYTES + bytes.length;
  const padded = new Uint8Array(paddedLength(needed));
  new DataView(padded.buffer).setUint32(0, bytes.length);
  padded.set(bytes, LENGTH_BYTES);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(algorithm(name, iv), await keyOf(owner), padded);
  const all = new Uint8Array(IV_BYTES + sealed.byteLength);
  all.set(iv);
  all.set(new Uint8Array(sealed), IV_BYTES);
  return all;
}

/**
 * Opens what {@link seal} has sealed.
 *
 * @throws NotOpened
 */
export async function open(owner: Owner, name: string, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const iv = new Uint8Array(sealed.slice(0, IV_BYTES));
  const key = await keyOf(owner);
  const padded = await crypto.subtle
    .decrypt(algorithm(name, iv), key, new Uint8Array(sealed.subarray(IV_BYTES)))
    .catch(() => {
      throw new NotOpened('What this browser keeps cannot be opened.');
    });
  return new Uint8Array(padded, LENGTH_BYTES, new DataView(padded).getUint32(0));
}
