import { deepStrictEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { NotOpened, open, seal } from '../../../../functions/console/app/kept/seal.ts';

/* What a browser keeps is sealed as these tests say: see docs/decisions/0032-the-console.md. */

const newOwner = () => ({
  person: { id: 'a person' },
  acquirer: { id: 'an acquirer', browser_key: randomBytes(32).toString('base64url') },
});
const owner = newOwner();
const bytes = new TextEncoder().encode('{"terminal_id":"PORTO1"}');
afterEach(() => void jest.restoreAllMocks());

test('any bytes are opened as they were sealed', async () => {
  const sizes = fc.constantFrom(0, 1, 4_091, 4_092, 4_093, 8_188, 8_189, 100_000);
  const property = fc.asyncProperty(sizes, fc.string({ unit: 'grapheme' }), async (size, name) => {
    const random = new Uint8Array(randomBytes(size));
    // Jest's `expect` takes seconds to compare so many bytes.
    deepStrictEqual(await open(owner, name, await seal(owner, name, random)), random);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('the length tells the magnitude only', async () => {
  const lengthOf = async (size: number) => (await seal(owner, 'a', new Uint8Array(size))).length - 12 - 16;
  const sizes = [0, 500, 4_092, 4_093, 8_188, 8_189, 50_000];
  expect(await Promise.all(sizes.map(lengthOf))).toEqual([4_096, 4_096, 4_096, 4_352, 8_192, 8_704, 51_200]);
});

test('the same bytes are never sealed alike, and cannot be read in what is sealed', async () => {
  const [one, other] = await Promise.all([seal(owner, 'a', bytes), seal(owner, 'a', bytes)]);
  expect(Buffer.compare(one, other)).not.toBe(0);
  expect(Buffer.from(one).toString('latin1')).not.toContain('PORTO1');
});

test('what was changed, has another name or belongs to another key is not opened', async () => {
  const sealed = await seal(owner, 'terminals1', bytes);
  const changed = [0, 12, 500, sealed.length - 1].map((at) => sealed.with(at, (sealed[at] as number) ^ 1));
  for (const each of [...changed, sealed.slice(0, -1), sealed.slice(0, 11), new Uint8Array(0)])
    await expect(open(owner, 'terminals1', each)).rejects.toThrow(NotOpened);
  await expect(open(owner, 'terminals2', sealed)).rejects.toThrow(NotOpened);
  await expect(open(newOwner(), 'terminals1', sealed)).rejects.toThrow(NotOpened);
  expect(await open(owner, 'terminals1', sealed)).toEqual(bytes);
});

test('no script can read the key again', async () => {
  const importKey = jest.spyOn(crypto.subtle, 'importKey');
  await seal(newOwner(), 'a', bytes);
  const key = await (importKey.mock.results[0]?.value as ReturnType<typeof crypto.subtle.importKey>);
  expect(key.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow(/extractable/);
});
