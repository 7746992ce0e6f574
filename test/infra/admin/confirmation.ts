import { describe, expect, test } from '@jest/globals';
import { storedBy } from '../../support/stored.ts';
import { admin, failed } from './admin.ts';

/** The table of this file, as prompts name it. */
const place = (): string => `table ${process.env['TABLE_NAME']} at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}`;

/**
 * Registers the tests of a command that asks for confirmation before it removes something.
 *
 * @param prepare Creates something to remove; returns the command and what its prompt says.
 */
export function testConfirmation(prepare: () => Promise<{ args: string[]; what: string }>): void {
  describe('asks for confirmation', () => {
    test('and changes nothing if there is no terminal to confirm on', async () => {
      const { args, what } = await prepare();
      const { response, changed } = await storedBy(() => admin(args));
      expect(response).toEqual(
        failed(`Confirmation needs an interactive terminal. Add --yes to ${what}, in ${place()}.`),
      );
      expect(changed).toEqual({});
    });

    test.each([
      ['the reply is no', 'n'],
      ['the reply is just Enter', '\r'],
      ['Ctrl-C is pressed', '\x03'],
    ])('and changes nothing if %s', async (_, keys) => {
      const { args, what } = await prepare();
      const { response, changed } = await storedBy(() => admin(args, { keys }));
      expect(response).toMatchObject({ exitCode: 1, stdout: '' });
      expect(plain(response.stderr)).toContain(`Really ${what}, in ${place()}?`);
      expect(response.stderr).toMatch(/Nothing was changed\.\n$/);
      expect(changed).toEqual({});
    });

    test('and runs if the reply is yes', async () => {
      const { args } = await prepare();
      const { response, changed } = await storedBy(() => admin(args, { keys: 'y' }));
      expect(response.exitCode).toBe(0);
      expect(response.stdout).not.toBe('');
      expect(Object.keys(changed)).not.toEqual([]);
    });
  });
}

/** A text without terminal control sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with one
const plain = (text: string): string => text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
