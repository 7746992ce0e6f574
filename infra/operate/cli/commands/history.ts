import { uuid } from '../../../../lib/base/fields.ts';
import { lowerCaseUuid, UUID } from '../../../../lib/base/mid.ts';
import type { Event } from '../../../../lib/events/event.ts';
import type { RecordEvent, RecordPage } from '../../../../lib/record/record.ts';
import {
  acquirerSubject,
  apiKeySubject,
  CARD_KEYS,
  ERASURES,
  memberSubject,
  personSubject,
} from '../../../../lib/table/keys.ts';
import { namesOfAcquirers, similarAcquirers } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import { eventText, type NameOf, personIn, terminalsIn, wordsOfOperator, wordsOfPartner } from '../eventText.ts';
import { identifier } from '../import/memberRow.ts';
import { argument, option, wholeNumber } from '../input.ts';
import { withName } from '../names.ts';
import { nameAndId } from '../output.ts';
import { checkAccess } from '../reach.ts';
import type { Service } from '../session.ts';
import { Stop } from '../stop.ts';

/** An event of a partner or of the operator's record, as JSON and as text. */
interface HistoryEvent {
  document: Pick<RecordEvent, 'id' | 'at' | 'by' | 'details'> & { type: string };
  text: (nameOf: NameOf) => string;
}

/**
 * Returns a page of the events of a text, newest first; `undefined` if the text means nothing to the source. Event ids
 * sort by time.
 */
type Source = (service: Service, text: string, page: RecordPage) => Promise<HistoryEvent[] | undefined>;

/** Sorts the details by name, because DynamoDB returns the attributes of a map in any order. */
const byOperator = (event: RecordEvent): HistoryEvent => {
  const { id, type, at, by } = event;
  const details = Object.fromEntries(Object.entries(event.details).sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    document: { id, type, at, by, details },
    text: (nameOf) => eventText(wordsOfOperator(event, nameOf)),
  };
};

/** A partner's event; its JSON has the form of the operator's record. */
function byPartner(event: Event): HistoryEvent {
  const { id, type, at, branch, data, changes, by, request_id } = event;
  const terminals = terminalsIn(data);
  const fields = data as Record<string, unknown>;
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
  return {
    document: { id, type, at, by: by.acquirer, details },
    text: (nameOf) => eventText(wordsOfPartner(event, nameOf)),
  };
}

/** Joins the events of several things; `undefined` if there are none. */
const joined = (found: (HistoryEvent[] | undefined)[]): HistoryEvent[] | undefined =>
  found.some((events) => events !== undefined) ? found.flatMap((events) => events ?? []) : undefined;

const ofAcquirer: Source = async ({ listAcquirers, readRecord, eventsOfAcquirer }, text, page) =>
  joined(
    await Promise.all(
      withName(await listAcquirers(), text).map(async ({ id }) => [
        ...(await readRecord(acquirerSubject(id), page)).map(byOperator),
        ...(await eventsOfAcquirer(id, page)).map(byPartner),
      ]),
    ),
  );

/** Includes revoked keys. */
const ofApiKey: Source = async ({ findKey, readRecord, eventsOfAcquirer }, text, page) => {
  const key = await findKey(text);
  if (!key) return undefined;
  const [recorded, events] = await Promise.all([
    readRecord(apiKeySubject(text), page),
    eventsOfAcquirer(key.acquirer, page, (by) => by.key_id === text),
  ]);
  return [...recorded.map(byOperator), ...events.map(byPartner)];
};

/** The most events of a person in which their acquirers are looked up. A person has a few. */
const MOST_OF_PERSON = 1000;

/** Includes removed people, and what a person changed as any acquirer. */
const ofPerson: Source = async ({ findPerson, readRecord, eventsOfAcquirer }, text, page) => {
  if (!UUID.test(text)) return undefined;
  const id = lowerCaseUuid(text);
  const [person, all] = await Promise.all([findPerson(id), readRecord(personSubject(id), { limit: MOST_OF_PERSON })]);
  if (!person && all.length === 0) return undefined;
  // The record has those that a person no longer belongs to.
  const inRecord = all.map(({ details }) => details['acquirer']).filter((each) => typeof each === 'string');
  const acquirers = [...new Set([...(person?.acquirers ?? []).map((each) => each.id), ...inRecord])];
  const [recorded, ...changes] = await Promise.all([
    readRecord(personSubject(id), page),
    ...acquirers.map((acquirer) => eventsOfAcquirer(acquirer, page, (by) => by.person?.id === id)),
  ]);
  return [...recorded.map(byOperator), ...changes.flat().map(byPartner)];
};

const ofBranch: Source = async ({ eventsOfBranch }, text, page) => (await eventsOfBranch(text, page))?.map(byPartner);

/** Includes deleted terminals, by their TID or terminal_id. */
const ofTerminal: Source = async ({ tidsOf, eventsOfTerminal }, text, page) =>
  joined(
    await Promise.all((await tidsOf(text)).map(async (tid) => (await eventsOfTerminal(tid, page))?.map(byPartner))),
  );

/** What is listed under no id, by the word for it. */
const LISTS: Record<string, string> = { erasures: ERASURES, 'card-keys': CARD_KEYS };

const ofList: Source = async ({ readRecord }, text, page) => {
  const subject = Object.hasOwn(LISTS, text) ? LISTS[text] : undefined;
  return subject === undefined ? undefined : (await readRecord(subject, page)).map(byOperator);
};

/** Changes of a member, and the imports of its cards and rewards. */
const ofMember: Source = async (service, text, page) => {
  await checkAccess(service);
  const { readRecord, importsOf, memberHashes } = service;
  // The record is not rewritten when the card key is rotated.
  const subjects = (await memberHashes(text)).map(memberSubject);
  const [imports, ...found] = await Promise.all([
    importsOf(text),
    ...subjects.map((subject) => readRecord(subject, page)),
  ]);
  const recorded = found.flat();
  return imports || recorded.length > 0 ? [...recorded, ...(imports ?? [])].map(byOperator) : undefined;
};

/** The sources of events. Events of all sources that know an id are merged. */
const SOURCES: Source[] = [ofAcquirer, ofApiKey, ofPerson, ofBranch, ofTerminal, ofList];

const DEFAULT_LIMIT = 50;

const HELP = `
Lists what operators and partners changed, newest first. <text> is that of "find": a TID, terminal_id, serial number, MID,
name or id of an acquirer, or id of an API key or person; or the word erasures or card-keys. It may also be a member_id.
Members are searched only if nothing else has this id, or with --member; this needs the card HMAC key.
With --json, prints [{ "id", "type", "at", "by", "details" }].

Examples:
  $ npm run operator -- history Payfair --stage prod
  $ npm run operator -- history <terminal_id> --stage prod
  $ npm run operator -- history Payfair --before <event-id> --limit 20 --stage prod
  $ npm run --silent operator -- history <member-id> --member --json --stage prod | jq -r '.[].type'`;

interface Options {
  limit?: number;
  before?: string;
  member?: true;
}

export const history: Group = (program) => {
  program
    .add('history', 'list changes of an acquirer, API key, person, branch, terminal or member, and who made them')
    .addArgument(argument('<text>', 'an id, a serial number, or the name of an acquirer', identifier))
    .addOption(option('--limit <count>', `maximum number of events (default: ${DEFAULT_LIMIT})`, wholeNumber))
    .addOption(option('--before <event-id>', 'continue after this event', uuid))
    .option('--member', 'treat the id as a member_id')
    .addHelpText('after', HELP)
    .runs(async ({ service, print }, text: string, { limit = DEFAULT_LIMIT, before, member }: Options) => {
      // One event more says whether there are older ones.
      const page = { limit: limit + 1, before };
      const query = async (sources: Source[], page: RecordPage) =>
        (await Promise.all(sources.map((source) => source(service, text, page)))).filter(
          (found) => found !== undefined,
        );
      const found = member ? [] : await query(SOURCES, page);
      // Only its events identify a deleted terminal, and all of them may be on earlier pages.
      const isKnown = found.length > 0 || (before && !member && (await query(SOURCES, { limit: 1 })).length > 0);
      const known = isKnown ? found : await query([ofMember], page);
      // On a later page, a source may have nothing left.
      if (known.length === 0 && !before) throw new Stop(`${NOT_FOUND}${await similarAcquirers(service, text)}`);
      // Sources may have the same event.
      const events = [...new Map(known.flat().map((event) => [event.document.id, event]))]
        .filter(([id]) => !before || id < before)
        .sort(([one], [other]) => (one < other ? 1 : -1));
      const shown = events.slice(0, limit).map(([, event]) => event);
      // Who made them, and whom they are about.
      const persons = shown.flatMap(({ document: { by, details } }) => [personIn(by), details['person']]);
      const [acquirers, people] = await Promise.all([
        namesOfAcquirers(service, ({ name }) => name),
        service.namesOfPersons(persons.filter((each) => typeof each === 'string')),
      ]);
      const nameOf: NameOf = (id) => {
        const name = people.get(id);
        return name === undefined ? acquirers(id) : nameAndId({ id, name });
      };
      const lines = shown.map((event) => event.text(nameOf));
      const last = events.length > limit ? [`Older events: add --before ${shown.at(-1)?.document.id}`] : [];
      await print(
        shown.map(({ document }) => document),
        [...lines, ...last].join('\n') || 'None.',
      );
    });
};

const NOT_FOUND =
  'Found nothing: no terminal, branch, acquirer, API key, person or member has this id or name. Ids are case-sensitive, except UUIDs.';
