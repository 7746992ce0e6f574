import * as v from 'valibot';
import { isWellFormedApiKey } from '../../../../lib/base/apiKeyFormat.ts';
import type { Group } from '../command.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, secretFrom } from '../input.ts';
import { type NameOf, namesOfAcquirers } from '../names.ts';
import * as service from '../service.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { fieldsText } from '../words.ts';

const HELP = `
<text> is a TID, terminal_id, serial number, MID, master_merchant_id, name or id of an acquirer, or id of an API key or
person. Prints everything that has it. Ids are case-sensitive, except UUIDs. Names are not.
With --json, prints [{ "type", "data" }], with the branch of a terminal as "branch".
To find out whose a leaked API key is, pass the key on stdin: an argument would stay in the shell's history.

Examples:
  $ npm run operator -- find DEMOTERM0143 --stage prod
  $ pbpaste | npm run operator -- find --api-key-stdin --stage prod`;

const TITLES: Record<string, string> = {
  api_key: 'API key',
  master_merchant: 'Master merchant',
};

/** Formats a found thing as a title and its fields, which are indented. */
function textOf({ type, data, branch }: service.Found, nameOf: NameOf): string {
  const title = TITLES[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const text = [`${title}:`, ...fieldsText(data, nameOf).split('\n')].join('\n  ');
  return branch ? `${text}\n${textOf({ type: 'its branch', data: branch }, nameOf)}` : text;
}

export const find: Group = (program) => {
  program
    .add('find', 'find a terminal, branch, master merchant, acquirer, API key or person by any of its ids')
    .addArgument(argument('[text]', 'an id, a serial number, or the name of an acquirer', identifier))
    .option('--api-key-stdin', 'read an API key from stdin')
    .addHelpText('after', HELP)
    .runs(async ({ host, print }, text: string | undefined, { apiKeyStdin }: { apiKeyStdin?: true }) => {
      if (Boolean(text) === Boolean(apiKeyStdin))
        throw new Stop('Wrong usage: add either an id or --api-key-stdin.', WRONG_USAGE);
      const found = text ? await foundBy(text) : await foundByKey(await secretFrom(host.stdin, 'API key', apiKey));
      const nameOf = await namesOfAcquirers();
      await print(found, found.map((each) => textOf(each, nameOf)).join('\n\n'));
    });
};

const apiKey = v.pipe(v.string(), v.startsWith('apk_'), v.regex(/^\S*$/));

async function foundBy(text: string): Promise<service.Found[]> {
  const found = await service.find(text);
  if (found.length === 0) throw new Stop(NOT_FOUND);
  return found;
}

/** Finds an API key by the key itself, of which only the hash is stored. */
async function foundByKey(key: string): Promise<service.Found[]> {
  if (!isWellFormedApiKey(key))
    throw new Stop(
      'The checksum of this API key is wrong, so it never worked. Was it cut off, or copied with an error?',
    );
  const id = service.keyIdOf(service.hashOf(key));
  const data = await service.findKey(id);
  if (!data) throw new Stop(`There is no API key ${id}, and the record has none. Is it of another stage?`);
  return [{ type: 'api_key', data }];
}

const NOT_FOUND =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person. Ids are case-sensitive, except UUIDs.';
