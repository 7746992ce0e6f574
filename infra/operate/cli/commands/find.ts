import type { Group } from '../command.ts';
import { identifier } from '../import/memberRow.ts';
import { argument } from '../input.ts';
import { type NameOf, namesOfAcquirers } from '../names.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';
import { fieldsText } from '../words.ts';

const HELP = `
<text> is a TID, terminal_id, serial number, MID, master_merchant_id, name or id of an acquirer, or id of an API key or
person. Prints everything that has it. Ids are case-sensitive, except UUIDs. Names are not.
With --json, prints [{ "type", "data" }], with the branch of a terminal as "branch".`;

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
    .addArgument(argument('<text>', 'an id, a serial number, or the name of an acquirer', identifier))
    .addHelpText('after', HELP)
    .runs(async ({ print }, text: string) => {
      const [found, nameOf] = [await service.find(text), await namesOfAcquirers()];
      if (found.length === 0) throw new Stop(NOT_FOUND);
      await print(found, found.map((each) => textOf(each, nameOf)).join('\n\n'));
    });
};

const NOT_FOUND =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person. Ids are case-sensitive, except UUIDs.';
