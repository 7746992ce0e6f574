import * as v from 'valibot';
import { hashOf, isWellFormedApiKey } from '../../../../lib/base/apiKeyFormat.ts';
import { storedText } from '../../../../lib/base/fields.ts';
import { storedId, UUID } from '../../../../lib/base/mid.ts';
import type { Group } from '../command.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, option, secretFrom, time } from '../input.ts';
import type { LogSearch } from '../logSearch.ts';
import { acquirerNamed, type NameOf, namesOfAcquirers } from '../names.ts';
import * as service from '../service.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { eventText, fieldsText, type HistoryEvent } from '../words.ts';
import { byPartner, namesIn } from './history.ts';

const HELP = `
<text> is a TID, terminal_id, serial number, MID, master_merchant_id, name or id of an acquirer, id of an API key or
person, or the X-Request-Id of a request that was refused in the last 30 days. Prints everything that has it. Ids are
case-sensitive, except UUIDs. Names are not.
A request that was accepted is in no index. With its acquirer and time, find reads the acquirer's events from 5 minutes
before to 5 minutes after; without them, it prints a command that searches the logs.
With --json, prints [{ "type", "data" }], with the branch of a terminal as "branch".
To find out whose a leaked API key is, pass the key on stdin: an argument would stay in the shell's history.

Examples:
  $ npm run operator -- find DEMOTERM0143 --stage prod
  $ npm run operator -- find <request id> --acquirer Payfair --at 2026-03-01T03:12Z --stage prod
  $ pbpaste | npm run operator -- find --api-key-stdin --stage prod`;

const TITLES: Record<string, string> = {
  api_key: 'API key',
  master_merchant: 'Master merchant',
  refused_request: 'Refused request',
};

/** Formats a found thing as a title and its fields, which are indented. */
function textOf({ type, data, branch }: service.Found, nameOf: NameOf): string {
  const title = TITLES[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const text = [`${title}:`, ...fieldsText(data, nameOf).split('\n')].join('\n  ');
  return branch ? `${text}\n${textOf({ type: 'its branch', data: branch }, nameOf)}` : text;
}

interface Options {
  apiKeyStdin?: true;
  acquirer?: string | undefined;
  at?: number | undefined;
}

export const find: Group = (program) => {
  program
    .add('find', 'find a terminal, branch, master merchant, acquirer, API key, person or request by any of its ids')
    .addArgument(argument('[text]', 'an id, a serial number, or the name of an acquirer', identifier))
    .option('--api-key-stdin', 'read an API key from stdin')
    .addOption(option('--acquirer <acquirer>', 'of a request: who sent it, by name or id', storedText))
    .addOption(option('--at <time>', 'of a request: about when it was sent, in UTC', time))
    .addHelpText('after', HELP)
    .runs(async ({ host, print, logSearch }, text: string | undefined, options: Options) => {
      const { apiKeyStdin, acquirer, at } = options;
      if (Boolean(text) === Boolean(apiKeyStdin))
        throw new Stop('Wrong usage: add either an id or --api-key-stdin.', WRONG_USAGE);
      if (acquirer && !at) throw new Stop('Wrong usage: add --at to --acquirer.', WRONG_USAGE);
      const found = text ? await service.find(text) : await foundByKey(await secretFrom(host.stdin, 'API key', apiKey));
      if (text && found.length === 0) {
        const event = await eventOfRequest(text, options, logSearch);
        await print([{ type: 'event', data: event }], eventText(event, await namesIn([event])));
        return;
      }
      const nameOf = await namesOfAcquirers();
      await print(found, found.map((each) => textOf(each, nameOf)).join('\n\n'));
    });
};

const apiKey = v.pipe(v.string(), v.startsWith('apk_'), v.regex(/^\S*$/));

/**
 * Finds what a request has changed that was accepted.
 *
 * @throws Stop if there is no such event, with how to search the logs if the text can be a request id.
 */
async function eventOfRequest(text: string, { acquirer, at }: Options, logSearch: LogSearch): Promise<HistoryEvent> {
  if (!UUID.test(text)) throw new Stop(`Found nothing. ${TRIED}`);
  const id = storedId(text);
  const found = acquirer && at ? await service.eventOfRequest((await acquirerNamed(acquirer)).id, id, at) : undefined;
  if (found?.event) return byPartner(found.event);
  const reason =
    found?.is_complete === false ? `There are more than ${service.SEARCHED.most} events to search.` : TRIED;
  throw new Stop(`Found nothing. ${reason} If it is a request id, search the logs: ${logSearch(id, at)}`);
}

/** Finds an API key by the key itself, of which only the hash is stored. */
async function foundByKey(key: string): Promise<service.Found[]> {
  if (!isWellFormedApiKey(key))
    throw new Stop(
      'The checksum of this API key is wrong, so it never worked. Was it cut off, or copied with an error?',
    );
  const id = service.keyIdOf(hashOf(key));
  const data = await service.findKey(id);
  if (!data) throw new Stop(`There is no API key ${id}, and the record has none. Is it of another stage?`);
  return [{ type: 'api_key', data }];
}

const TRIED =
  'Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person, request id of a refused request. Ids are case-sensitive, except UUIDs.';
