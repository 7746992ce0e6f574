import * as v from 'valibot';
import { uuid } from '../../../lib/base/fields.ts';
import type { Event } from '../../../lib/event.ts';
import type { RecordEvent, RecordPage } from '../../../lib/record.ts';
import { acquirerKey, acquirerSubject, apiKeySubject, memberSubject } from '../../../lib/table/keys.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, option, wholeNumber } from '../input.ts';
import { table } from '../output.ts';
import { reachAll } from '../reach.ts';
import type { Group, Service } from '../session.ts';
import { Stop } from '../stop.ts';
import { KEY_ID } from './keys.ts';

/** An event as it is shown, whatever record it is of. */
export type HistoryEvent = Pick<RecordEvent, 'id' | 'at' | 'by' | 'details'> & { type: string };

/**
 * A page of the events of what a text names, the newest first; `undefined` when the text names nothing that the source
 * knows. Ids of events sort by time.
 */
type Source = (service: Service, text: string, page: RecordPage) => Promise<HistoryEvent[] | undefined>;

/** What an acquirer did, or one of its API keys, as the record shows it. */
const byPartner = ({ id, type, at, branch, data, changes, by, request_id }: Event): HistoryEvent => ({
  ...{ id, type, at, by: by.acquirer },
  details: {
    ...{ key_id: by.key_id, label: by.key_label, mid: branch.mid },
    ...terminalsIn(data),
    ...(changes && { before: changes }),
    request_id,
  },
});

/** The terminals that an event tells of, by the ids that people know them by. */
function terminalsIn(data: unknown): { terminals?: string[] } {
  const { terminals = data } = data as { terminals?: unknown };
  const ids = [terminals].flat().flatMap((each) => (each as { terminal_id?: string }).terminal_id ?? []);
  return ids.length > 0 ? { terminals: ids } : {};
}

const ofAcquirer: Source = async ({ readRecord, getItem, eventsOfAcquirer }, text, page) => {
  const { success, output } = v.safeParse(uuid, text);
  if (!success || !(await getItem(acquirerKey(output)))) return undefined;
  const [recorded, events] = await Promise.all([
    readRecord(acquirerSubject(output), page),
    eventsOfAcquirer(output, page),
  ]);
  return [...recorded, ...events.map(byPartner)];
};

/** The record names a key's acquirer, also when the key is revoked; of an older key, the acquirer's list does. */
const ofApiKey: Source = async ({ readRecord, acquirerOfKey, eventsOfAcquirer }, text, page) => {
  if (!KEY_ID.test(text)) return undefined;
  const [last] = await readRecord(apiKeySubject(text), { limit: 1 });
  const { acquirer = await acquirerOfKey(text) } = (last?.details ?? {}) as { acquirer?: string };
  if (!acquirer) return undefined;
  const [recorded, events] = await Promise.all([
    readRecord(apiKeySubject(text), page),
    eventsOfAcquirer(acquirer, page, text),
  ]);
  return [...recorded, ...events.map(byPartner)];
};

const ofBranch: Source = async ({ eventsOfBranch }, text, page) => (await eventsOfBranch(text, page))?.map(byPartner);

const ofTerminal: Source = async ({ eventsOfTerminal }, text, page) =>
  (await eventsOfTerminal(text, page))?.map(byPartner);

/** What was done to a member, and the imports that brought what it has. */
const ofMember: Source = async (service, text, page) => {
  await reachAll(service);
  const { readRecord, importsOf, memberHash } = service;
  const subject = memberSubject(await memberHash(text));
  const [recorded, imports] = await Promise.all([readRecord(subject, page), importsOf(text)]);
  return imports || recorded.length > 0 ? [...recorded, ...(imports ?? [])] : undefined;
};

/** What knows a thing by its id. A further source goes here; the events of all that know an id are shown as one list. */
const SOURCES: Source[] = [ofAcquirer, ofApiKey, ofBranch, ofTerminal];

const DEFAULT_LIMIT = 50;

const HELP = `
Shows what operators and partners did, and who did it: the newest first. The id is that of an acquirer, an API key, a branch
(MID), a terminal (TID) or a member. A member is only looked for when the id is none of the others, or with --member; that
takes the key of the card hashes.
With --json, the answer is [{ "id", "type", "at", "by", "details" }].

Examples:
  $ npm run admin -- history <acquirer-id> --stage prod
  $ npm run admin -- history <mid> --stage prod
  $ npm run admin -- history <acquirer-id> --before <event-id> --limit 20 --stage prod
  $ npm run --silent admin -- history <member-id> --member --json --stage prod | jq -r '.[].type'`;

interface Options {
  limit?: number;
  before?: string;
  member?: true;
}

export const history: Group = (program, action) => {
  program
    .command('history')
    .description('what was done to an acquirer, an API key, a branch, a terminal or a member, and by whom')
    .addArgument(argument('<id>', 'of the acquirer, API key, branch, terminal or member', identifier))
    .addOption(option('--limit <count>', `show so many at the most (default: ${DEFAULT_LIMIT})`, wholeNumber))
    .addOption(option('--before <event-id>', 'go on behind this event', uuid))
    .option('--member', 'take the id for that of a member')
    .addHelpText('after', HELP)
    .action(
      action(async ({ service, response }, id: string, { limit = DEFAULT_LIMIT, before, member }: Options) => {
        const page = { limit, before };
        const ask = async (sources: Source[]) =>
          (await Promise.all(sources.map((source) => source(service, id, page)))).filter(
            (found) => found !== undefined,
          );
        const found = member ? [] : await ask(SOURCES);
        const known = found.length > 0 ? found : await ask([ofMember]);
        // On a later page, a source may have nothing left.
        if (known.length === 0 && !before) throw new Stop(NOTHING);
        const events = known
          .flat()
          .filter((event) => !before || event.id < before)
          .sort((one, other) => (one.id < other.id ? 1 : -1))
          .slice(0, limit)
          .map(documentOf);
        const rows = events.map(({ at, type, by, details, ...event }) => [at, type, by, inWords(details), event.id]);
        await response(events, table(['AT', 'TYPE', 'BY', 'DETAILS', 'ID'], rows));
      }),
    );
};

const NOTHING = 'No acquirer, branch, terminal or member has this id, and no API key on record.';

/** The table returns facts in any order. */
const documentOf = ({ id, type, at, by, details }: HistoryEvent): HistoryEvent => ({
  ...{ id, type, at, by },
  details: Object.fromEntries(Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1))),
});

/** Facts as people read them, in one cell. */
const inWords = (details: HistoryEvent['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
