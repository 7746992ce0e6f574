import { describe, expect, test } from '@jest/globals';
import { storedBy } from '../../support/stored.ts';
import { admin, failed } from './admin.ts';

/** The table of this file, as questions name it. */
const place = (): string => `table ${process.env['TABLE_NAME']} at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}`;

/**
 * Registers how a command that takes something away asks before.
 *
 * @param prepare Makes something to take away, and tells the command and what it asks.
 */
export function asksFirst(prepare: () => Promise<{ args: string[]; what: string }>): void {
  describe('asks first', () => {
    test('and does nothing where there is nobody to ask', async () => {
      const { args, what } = await prepare();
      const { response, changed } = await storedBy(() => admin(args));
      expect(response).toEqual(failed(`No terminal to confirm on. Add --yes to ${what}, in ${place()}.`));
      expect(changed).toEqual({});
    });

    test.each([
      ['the answer is no', 'n'],
      ['the answer is just Enter', '\r'],
      ['Ctrl-C is pressed', '\x03'],
    ])('and does nothing when %s', async (_, keys) => {
      const { args, what } = await prepare();
      const { response, changed } = await storedBy(() => admin(args, { keys }));
      expect(response).toMatchObject({ exitCode: 1, stdout: '' });
      expect(plain(response.stderr)).toContain(`Really ${what}, in ${place()}?`);
      expect(response.stderr).toMatch(/Nothing was changed\.\n$/);
      expect(changed).toEqual({});
    });

    test('and does it when the answer is yes', async () => {
      const { args } = await prepare();
      const { response, changed } = await storedBy(() => admin(args, { keys: 'y' }));
      expect(response.exitCode).toBe(0);
      expect(response.stdout).not.toBe('');
      expect(Object.keys(changed)).not.toEqual([]);
    });
  });
}

/** A text without what steers the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: such steering begins with one
const plain = (text: string): string => text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
