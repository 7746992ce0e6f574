import type { Limit } from '../../../lib/base/limit.ts';
import { UUID } from '../../../lib/base/mid.ts';
import type { Event } from '../../../lib/events/event.ts';
import type { RecordEvent } from '../../../lib/record/record.ts';
import { limitText, list, wrapped } from './output.ts';

/** Returns the name of an acquirer or person by its id, or the id if there is neither. */
export type NameOf = (id: string) => string;

/** The person who made an event of the operator's record: see personAuthor. `undefined` if an operator did. */
export const personIn = (by: string): string | undefined => /^PERSON#(.*)$/.exec(by)?.[1];

/** Names a person. One who was removed has no name. */
const personText = (id: string, nameOf: NameOf): string => (nameOf(id) === id ? `removed person ${id}` : nameOf(id));

/** An event in words. */
interface Words {
  at: string;
  /** Who made the change. */
  who: string;
  /** The type of the event, and what it is about. */
  what: string;
  /** Further facts, such as the reason and what changed: each on a line of its own. */
  facts: string[];
}

const INDENT = 4;

/** Formats an event as a line and, indented below it, its facts. */
export const eventText = ({ at, who, what, facts }: Words): string =>
  [
    wrapped(`${at}  ${who}  ${what}`, INDENT),
    ...facts.map((fact) => wrapped(' '.repeat(INDENT) + fact, INDENT + 2)),
  ].join('\n');

/** The terminal_ids of an event's terminals. */
export function terminalsIn(data: unknown): string[] {
  const { terminals = data } = data as { terminals?: unknown };
  return [terminals].flat().flatMap((each) => (each as { terminal_id?: string }).terminal_id ?? []);
}

const fieldName = (name: string): string => name.replaceAll('_', ' ');

/** Puts an event of a partner into words. */
export function wordsOfPartner({ at, type, branch, data, changes, by, request_id }: Event, nameOf: NameOf): Words {
  const after = data as Record<string, unknown>;
  const terminals = terminalsIn(data);
  const [about] = type.startsWith('branch.') ? [branch.mid] : terminals;
  const context = [
    ...(about === branch.mid ? [] : [`branch ${branch.mid}`]),
    ...(by.key_id ? [`API key ${by.key_id} "${by.key_label}"`] : []),
    ...(by.person ? [personText(by.person.id, nameOf)] : []),
    `request ${request_id}`,
  ];
  return {
    at,
    who: nameOf(by.acquirer),
    what: `${type}  ${about}`,
    facts: [
      ...(type === 'terminal.archived' ? [`reason: ${after['archive_reason']}`] : []),
      ...Object.entries(changes ?? {}).map(
        ([name, before]) => `${fieldName(name)}: ${valueText(before)} → ${valueText(after[name])}`,
      ),
      ...(terminals.some((each) => each !== about) ? [`terminals: ${list(terminals)}`] : []),
      context.join(', '),
    ],
  };
}

/** What a detail that is `null` means, if not "none". */
const ABSENT: Record<string, string> = { limit: "the stage's default", completed_at: 'not yet', expires_at: 'at once' };

/** Puts an event of the operator's record into words. */
export function wordsOfOperator({ at, type, by, details }: RecordEvent, nameOf: NameOf): Words {
  const textOf = (name: string, value = details[name]) => valueText(value, nameOf, ABSENT[name]);
  const changed = (name: string) => `${name}_before` in details;
  const [changes, others] = [true, false].map((isChange) =>
    Object.keys(details)
      .filter((name) => !name.endsWith('_before') && changed(name) === isChange)
      .sort(),
  ) as [string[], string[]];
  const person = personIn(by);
  return {
    at,
    who: person ? personText(person, nameOf) : by,
    what: type,
    facts: [
      ...changes.map((name) => `${fieldName(name)}: ${textOf(name, details[`${name}_before`])} → ${textOf(name)}`),
      ...(others.length > 0 ? [others.map((name) => `${fieldName(name)}: ${textOf(name)}`).join(', ')] : []),
    ],
  };
}

/** The text of a value in an event: acquirers and people by name, limits in words. */
function valueText(value: unknown, nameOf: NameOf = String, absent = 'none'): string {
  if (value === null || value === undefined) return absent;
  if (typeof value === 'string') return UUID.test(value) ? nameOf(value) : value;
  if (Array.isArray(value)) return list(value.map((each) => valueText(each, nameOf)));
  if (typeof value !== 'object') return String(value);
  if ('rate' in value) return limitText(value as Limit);
  if ('name' in value) return String(value.name);
  return Object.entries(value)
    .map(([name, each]) => `${fieldName(name)} ${valueText(each, nameOf, ABSENT[name])}`)
    .join(', ');
}
