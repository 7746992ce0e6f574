import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newApiKey } from '../../../../lib/base/apiKeyFormat.ts';
import { ownFolder } from '../../../support/scripts.ts';
import { groupsIn, operator } from './operator.ts';

/** What the placeholders of commands stand for. */
const PLACEHOLDERS = {
  '<acquirer>': 'Payfair',
  '<key id>': '0123456789ab',
  '<person id>': '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55',
  '<webhook id>': '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55',
  '<invitation id>': '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55',
  '<member>': 'anna',
  '<card>': '0123456789ab',
  '<request id>': '7d1f0b52-93c4-4e0a-8f55-2c61d7a9e3b0',
  '<event id>': '01a20ba9-2b51-772b-ad73-0198ab0958e4',
};

const COMMAND = /npm run (?:--silent )?operator -- --(?:stage|table) [^\s`]+ ([^`|<>\n]+)(< \S+)?/g;

/**
 * The commands of the operator's tool in a document: their arguments without the stage, and whether they read stdin.
 */
function commandsIn(document: string): { args: string[]; readsStdin: boolean }[] {
  const filled = Object.entries(PLACEHOLDERS).reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    document.replace(/\\\n\s*/g, ''),
  );
  return [...filled.matchAll(COMMAND)].map(([, command = '', stdin]) => ({
    args: (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, '')),
    readsStdin: stdin !== undefined,
  }));
}

const ALL = globSync('docs/*.md').flatMap((file) => commandsIn(readFileSync(file, 'utf8')));
/** Without those that would store a key in the secret store that other files use. */
const COMMANDS = ALL.filter(({ args: [group, command] }) => group !== 'self-check' && command !== 'rotate-key');

test('the documents have commands of every group', async () => {
  const groups = groupsIn((await operator(['--help'])).stdout).filter((group) => group !== 'help');
  expect(COMMANDS.length).toBeGreaterThan(35);
  expect(new Set(ALL.map(({ args: [group] }) => group))).toEqual(new Set(groups));
});

const local = join(ownFolder(), 'demo.json');
writeFileSync(local, '{"base_url":"https://api.example.com"}');

test.each(COMMANDS.map(({ args, ...rest }) => ({ args, ...rest, title: args.join(' ') })))(
  '$title is valid usage',
  async ({ args, readsStdin }) => {
    const { stdout, stderr } = await operator([...args, '--yes', '--local', local], {
      input: readsStdin ? (args.includes('--api-key-stdin') ? newApiKey() : 'card-1') : '',
    });
    // The tables of tests have none of this, so commands may be refused.
    expect(stderr).not.toMatch(/usage/i);
    expect(stdout + stderr).not.toBe('');
  },
);
