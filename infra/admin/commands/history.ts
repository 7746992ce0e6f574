import * as v from 'valibot';
import { uuid } from '../../../lib/base/fields.ts';
import type { Event } from '../../../lib/events/event.ts';
import type { RecordEvent, RecordPage } from '../../../lib/operator/record.ts';
import { acquirerKey, acquirerSubject, apiKeySubject, memberSubject } from '../../../lib/table/keys.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, option, wholeNumber } from '../input.ts';
import { table } from '../output.ts';
import { checkAccess } from '../reach.ts';
import type { Group, Service } from '../session.ts';
import { Stop } from '../stop.ts';
import { KEY_ID } from './keys.ts';

/** An event as it is printed, of a partner or of the operator's record. */
type HistoryEvent = Pick<RecordEvent, 'id' | 'at' | 'by' | 'details'> & { type: string };

/**
 * Returns a page of the events of an id, newest first; `undefined` if the source does not know the id. Event ids sort
 * by time.
 */
type Source = (service: Service, text: string, page: RecordPage) => Promise<HistoryEvent[] | undefined>;

/** A partner's event, in the form of the operator's record. */
const byPartner = ({ id, type, at, branch, data, changes, by, request_id }: Event): HistoryEvent => ({
  id,
  type,
  at,
  by: by.acquirer,
  details: {
    key_id: by.key_id,
    label: by.key_label,
    mid: branch.mid,
    ...terminalsIn(data),
    ...(changes && { before: changes }),
    request_id,
  },
});

/** The terminal_ids of an event's terminals. */
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

/** The record has the acquirer of a key, even after the key is revoked. For older keys, the acquirer's list has it. */
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

/** Changes of a member, and the imports of its cards and rewards. */
const ofMember: Source = async (service, text, page) => {
  await checkAccess(service);
  const { readRecord, importsOf, memberHash } = service;
  const subject = memberSubject(await memberHash(text));
  const [recorded, imports] = await Promise.all([readRecord(subject, page), importsOf(text)]);
  return imports || recorded.length > 0 ? [...recorded, ...(imports ?? [])] : undefined;
};

/** The sources of events. Events of all sources that know an id are merged. */
const SOURCES: Source[] = [ofAcquirer, ofApiKey, ofBranch, ofTerminal];

const DEFAULT_LIMIT = 50;

const HELP = `
Lists what operators and partners changed, newest first. <id> is that of an acquirer, an API key, a branch (MID), a
terminal (TID) or a member. Members are searched only if nothing else has this id, or with --member; this needs the card
HMAC key.
With --json, prints [{ "id", "type", "at", "by", "details" }].

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
    .description('list changes of an acquirer, API key, branch, terminal or member, and who made them')
    .addArgument(argument('<id>', 'of the acquirer, API key, branch, terminal or member', identifier))
    .addOption(option('--limit <count>', `maximum number of events (default: ${DEFAULT_LIMIT})`, wholeNumber))
    .addOption(option('--before <event-id>', 'continue after this event', uuid))
    .option('--member', 'treat the id as a member_id')
    .addHelpText('after', HELP)
    .action(
      action(async ({ service, print }, id: string, { limit = DEFAULT_LIMIT, before, member }: Options) => {
        const page = { limit, before };
        const query = async (sources: Source[]) =>
          (await Promise.all(sources.map((source) => source(service, id, page)))).filter(
            (found) => found !== undefined,
          );
        const found = member ? [] : await query(SOURCES);
        const known = found.length > 0 ? found : await query([ofMember]);
        // On a later page, a source may have nothing left.
        if (known.length === 0 && !before) throw new Stop(NOT_FOUND);
        const events = known
          .flat()
          .filter((event) => !before || event.id < before)
          .sort((one, other) => (one.id < other.id ? 1 : -1))
          .slice(0, limit)
          .map(documentOf);
        const rows = events.map(({ at, type, by, details, ...event }) => [
          at,
          type,
          by,
          detailsText(details),
          event.id,
        ]);
        await print(events, table(['AT', 'TYPE', 'BY', 'DETAILS', 'ID'], rows));
      }),
    );
};

const NOT_FOUND = 'Unknown id: no acquirer, API key, branch, terminal or member has it.';

/** Sorts the details by name, because DynamoDB returns the attributes of a map in any order. */
const documentOf = ({ id, type, at, by, details }: HistoryEvent): HistoryEvent => ({
  id,
  type,
  at,
  by,
  details: Object.fromEntries(Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1))),
});

/** Details as text for a table cell. */
const detailsText = (details: HistoryEvent['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
