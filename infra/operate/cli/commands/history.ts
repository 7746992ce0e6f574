import { uuid } from '../../../../lib/base/fields.ts';
import { storedId, UUID } from '../../../../lib/base/mid.ts';
import type { Event } from '../../../../lib/events/event.ts';
import type { RecordEvent, RecordPage } from '../../../../lib/record/record.ts';
import * as keys from '../../../../lib/table/keys.ts';
import type { Group } from '../command.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, option, wholeNumber } from '../input.ts';
import { type NameOf, namesOfAcquirers, withName } from '../names.ts';
import { nameAndId } from '../output.ts';
import { checkAccess } from '../reach.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';
import { eventText, type HistoryEvent } from '../words.ts';

/**
 * Returns a page of the events of a text, newest first; `undefined` if the text means nothing to the source. Event ids
 * sort by time.
 */
type Source = (text: string, page: RecordPage) => Promise<HistoryEvent[] | undefined>;

/** Sorts the details by name, because DynamoDB returns the attributes of a map in any order. */
const byOperator = ({ id, type, at, by, details }: RecordEvent): HistoryEvent => ({
  ...{ id, type, at, by },
  details: Object.fromEntries(Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1))),
});

/** A partner's event in the form of the operator's record. */
export function byPartner({ id, type, at, branch, data, changes, by, request_id }: Event): HistoryEvent {
  const fields = data as Record<string, unknown>;
  const terminals = [fields['terminals'] ?? fields]
    .flat()
    .flatMap((each) => (each as { terminal_id?: string }).terminal_id ?? []);
  const details = {
    ...(changes && {
      before: changes,
      after: Object.fromEntries(Object.keys(changes).map((name) => [name, fields[name]])),
    }),
    key_id: by.key_id,
    label: by.key_label,
    mid: branch.mid,
    ...(by.person && { person: by.person.id }),
    ...(type === 'terminal.archived' && { reason: fields['archive_reason'] }),
    request_id,
    ...(terminals.length > 0 && { terminals }),
  };
  return { id, type, at, by: by.acquirer, details };
}

const recorded = async (subject: string, page: RecordPage): Promise<HistoryEvent[]> =>
  (await service.readRecord(subject, page)).map(byOperator);

const changesOf = async (...query: Parameters<typeof service.eventsOfAcquirer>): Promise<HistoryEvent[]> =>
  (await service.eventsOfAcquirer(...query)).map(byPartner);

/** The events of several things; `undefined` if there are none of these. */
async function joined(found: Promise<HistoryEvent[] | undefined>[]): Promise<HistoryEvent[] | undefined> {
  const known = (await Promise.all(found)).filter((events) => events !== undefined);
  return known.length > 0 ? known.flat() : undefined;
}

const ofAcquirer: Source = async (text, page) =>
  joined(
    withName(await service.listAcquirers(), text).flatMap(({ id }) => [
      recorded(keys.acquirerSubject(id), page),
      changesOf(id, page),
    ]),
  );

const ofApiKey: Source = async (text, page) => {
  const key = await service.findKey(text);
  return (
    key && joined([recorded(keys.apiKeySubject(text), page), changesOf(key.acquirer, page, (by) => by.key_id === text)])
  );
};

/** The most events of a person in which their acquirers are looked up. A person has a few. */
const MOST_OF_PERSON = 1000;

/** Includes removed people, and what a person changed as any acquirer. */
const ofPerson: Source = async (text, page) => {
  if (!UUID.test(text)) return undefined;
  const id = storedId(text);
  const person = await service.findPerson(id);
  const all = await recorded(keys.personSubject(id), { limit: MOST_OF_PERSON });
  if (!person && all.length === 0) return undefined;
  // The record has those that a person no longer belongs to.
  const inRecord = all.map(({ details }) => details['acquirer']).filter((each) => typeof each === 'string');
  const acquirers = new Set([...(person?.acquirers ?? []).map((each) => each.id), ...inRecord]);
  return joined([
    recorded(keys.personSubject(id), page),
    ...[...acquirers].map((acquirer) => changesOf(acquirer, page, (by) => by.person?.id === id)),
  ]);
};

const ofBranch: Source = async (text, page) => (await service.eventsOfBranch(text, page))?.map(byPartner);

/** Includes deleted terminals, by their TID or terminal_id. */
const ofTerminal: Source = async (text, page) =>
  joined((await service.tidsOf(text)).map(async (tid) => (await service.eventsOfTerminal(tid, page))?.map(byPartner)));

/** What is listed under no id, by the word for it. */
const LISTS = new Map([
  ['erasures', keys.ERASURES],
  ['card-keys', keys.CARD_KEYS],
]);

const ofList: Source = async (text, page) => {
  const subject = LISTS.get(text);
  return subject === undefined ? undefined : recorded(subject, page);
};

/** Changes of a member, and the imports of its cards and rewards. */
const ofMember: Source = async (text, page) => {
  await checkAccess();
  const imports = await service.importsOf(text);
  // The record is not rewritten when the card key is rotated.
  const subjects = (await service.memberHashes(text)).map(keys.memberSubject);
  const changes = (await Promise.all(subjects.map((subject) => recorded(subject, page)))).flat();
  return imports || changes.length > 0 ? [...changes, ...(imports ?? []).map(byOperator)] : undefined;
};

/** The sources of events. Events of all sources that know an id are merged. */
const SOURCES: Source[] = [ofAcquirer, ofApiKey, ofPerson, ofBranch, ofTerminal, ofList];

const DEFAULT_LIMIT = 50;

const HELP = `
Lists what operators and partners changed, newest first. <text> is that of "find": a TID, terminal_id, serial number, MID,
name or id of an acquirer, or id of an API key or person; or the word erasures or card-keys. It may also be a member_id.
Members are searched only if nothing else has this id, or with --member; this needs the card HMAC key.
With --json, prints [{ "id", "type", "at", "by", "details" }].

Example:
  $ npm run operator -- history Payfair --before <event-id> --limit 20 --stage prod`;

interface Options {
  limit?: number;
  before?: string;
  member?: true;
}

/**
 * Returns the newest events of a text that are older than `before`, those of several sources once.
 *
 * @throws Stop if the text means nothing.
 */
async function eventsOf(text: string, page: RecordPage, isMember = false): Promise<HistoryEvent[]> {
  const query = async (sources: Source[], { limit, before }: RecordPage) =>
    joined(sources.map((source) => source(text, { limit, before })));
  const found = isMember ? undefined : await query(SOURCES, page);
  // Only its events identify a deleted terminal, and all of them may be on earlier pages.
  const isKnown = found || (page.before && !isMember && (await query(SOURCES, { limit: 1 })));
  const known = isKnown ? found : await query([ofMember], page);
  // On a later page, a source may have nothing left.
  if (!known && !page.before) throw new Stop(NOT_FOUND);
  return [...new Map(known?.map((event) => [event.id, event])).values()]
    .filter(({ id }) => !page.before || id < page.before)
    .sort((one, other) => (one.id < other.id ? 1 : -1));
}

/** Names the acquirers, and the people who made events or whom they are about. */
export async function namesIn(events: HistoryEvent[]): Promise<NameOf> {
  const acquirers = await namesOfAcquirers(({ name }) => name);
  const persons = events.flatMap(({ by, details }) => [keys.personOfSubject(by), details['person']]);
  const owners = events.flatMap(({ by, details }) => [by, details['acquirer']]);
  const people = await service.namesOfPersons(
    persons.filter((each) => typeof each === 'string'),
    owners.filter((each) => typeof each === 'string' && UUID.test(each)) as string[],
  );
  return (id) => {
    const name = people.get(id);
    return name === undefined ? acquirers(id) : nameAndId({ id, name });
  };
}

export const history: Group = (program) => {
  program
    .add('history', 'list changes of an acquirer, API key, person, branch, terminal or member, and who made them')
    .addArgument(argument('<text>', 'an id, a serial number, or the name of an acquirer', identifier))
    .addOption(option('--limit <count>', `maximum number of events (default: ${DEFAULT_LIMIT})`, wholeNumber))
    .addOption(option('--before <event-id>', 'continue after this event', uuid))
    .option('--member', 'treat the id as a member_id')
    .addHelpText('after', HELP)
    .runs(async ({ print }, text: string, { limit = DEFAULT_LIMIT, before, member }: Options) => {
      // One event more says whether there are older ones.
      const events = await eventsOf(text, { limit: limit + 1, before }, member);
      const shown = events.slice(0, limit);
      const nameOf = await namesIn(shown);
      const lines = shown.map((event) => eventText(event, nameOf));
      if (events.length > limit) lines.push(`Older events: add --before ${shown.at(-1)?.id}`);
      await print(shown, lines.join('\n') || 'None.');
    });
};

const NOT_FOUND =
  'Found nothing: no terminal, branch, acquirer, API key, person or member has this id or name. Ids are case-sensitive, except UUIDs.';
