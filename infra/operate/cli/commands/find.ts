import { UUID } from '../../../../lib/base/mid.ts';
import type { Group } from '../command.ts';
import { identifier } from '../import/memberRow.ts';
import { argument } from '../input.ts';
import { type NameOf, namesOfAcquirers } from '../names.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';
import type { Target } from '../target.ts';
import { fieldsText } from '../words.ts';

const HELP = `
<text> is a TID, terminal_id, serial number, MID, master_merchant_id, name or id of an acquirer, id of an API key or
person, or request id. Prints everything that has it. Ids are case-sensitive, except UUIDs. Names are not. A request id is not stored:
prints how to find it in the logs.
With --json, prints [{ "type", "data" }], with the branch of a terminal as "branch".`;

function requestOf(request_id: string, { logs }: Target): service.Found {
  const fields = '@timestamp, route, acquirer, key_id, key_label, status, code, duration_ms, causes.0.message';
  const how =
    'groups' in logs
      ? { groups: logs.groups, query: `filter request_id = "${request_id}" | fields ${fields}` }
      : { command: `grep ${request_id} ${logs.file}` };
  return { type: 'request', data: { request_id, ...how } };
}

const TITLES: Record<string, string> = {
  api_key: 'API key',
  master_merchant: 'Master merchant',
  request:
    'Nothing is stored under this id. If it is a request id, find its log line (a query is for CloudWatch Logs Insights)',
};

/** Formats a found thing as a title and its fields, which are indented. */
function textOf({ type, data, branch }: service.Found, nameOf: NameOf): string {
  const title = TITLES[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const text = [`${title}:`, ...fieldsText(data, nameOf).split('\n')].join('\n  ');
  return branch ? `${text}\n${textOf({ type: 'its branch', data: branch }, nameOf)}` : text;
}

export const find: Group = (program) => {
  program
    .add('find', 'find a terminal, branch, master merchant, acquirer, API key, person or request by any of its ids')
    .addArgument(argument('<text>', 'an id, a serial number, or the name of an acquirer', identifier))
    .addHelpText('after', HELP)
    .runs(async ({ target, print }, text: string) => {
      const [found, nameOf] = [await service.find(text), await namesOfAcquirers()];
      if (found.length === 0 && UUID.test(text)) found.push(requestOf(text.toLowerCase(), target));
      if (found.length === 0) throw new Stop(NOT_FOUND);
      await print(found, found.map((each) => textOf(each, nameOf)).join('\n\n'));
    });
};

const NOT_FOUND =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person. Ids are case-sensitive, except UUIDs.';
