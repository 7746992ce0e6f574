import { UUID } from '../../../lib/base/mid.ts';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';
import { personOfSubject } from '../../../lib/table/keys.ts';
import type { NameOf } from './names.ts';
import { columns, limitText, list, wrapped } from './output.ts';

/*
 * What `--json` prints, in words: fields by their names, acquirers and people by theirs.
 */

export interface HistoryEvent {
  id: string;
  type: string;
  at: string;
  /** The id of an acquirer, the name of an operator, or a person: see personAuthor. */
  by: string;
  /** With pairs of values: `name` and `name_before`, or those in `after` and `before`. */
  details: Readonly<Record<string, unknown>>;
}

const fieldName = (name: string): string => name.replaceAll('_', ' ');

/** A value in words. What is absent is `none`. */
function valueText(value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string') return UUID.test(value) ? nameOf(value) : value;
  if (Array.isArray(value)) return list(value.map((each) => valueText(each, nameOf)));
  if (typeof value !== 'object') return String(value);
  if ('rate' in value) return limitText(value as Limit);
  if ('name' in value) return String(value.name ?? Reflect.get(value, 'id'));
  return Object.entries(value)
    .map(([name, each]) => `${fieldName(name)} ${valueText(each, nameOf)}`)
    .join(', ');
}

/** Formats a document as lines of a name and a value. Leaves out what is absent. */
export const fieldsText = (document: object, nameOf: NameOf): string =>
  columns(
    Object.entries(document).flatMap(([name, value]) =>
      // The name of what has this id is a field of its own.
      value === null || value === undefined
        ? []
        : [[fieldName(name), valueText(value, name === 'id' ? String : nameOf)]],
    ),
  );

/** What it means in an event that a value is absent. Others are left out. */
const ABSENT: Record<string, string> = { limit: "the stage's default", completed_at: 'not yet', expires_at: 'at once' };

const INDENT = 4;
const BEFORE = '_before';

/** Formats an event as a line and, indented below it, what changed and further facts. */
export function eventText({ at, type, by, details }: HistoryEvent, nameOf: NameOf): string {
  const personText = (id: string) => (nameOf(id) === id ? `unknown person ${id}` : nameOf(id));
  const textOf = (name: string, value: unknown) => {
    if (name === 'person') return personText(String(value));
    return value === null && ABSENT[name] ? ABSENT[name] : valueText(value, nameOf);
  };
  const { before = {}, after = {}, ...others } = details;
  const was: Record<string, unknown> = { ...(before as object) };
  for (const name of Object.keys(others)) if (`${name}${BEFORE}` in others) was[name] = others[`${name}${BEFORE}`];
  const now: Record<string, unknown> = { ...others, ...(after as object) };
  const isFact = (name: string) =>
    !(name in was) && !name.endsWith(BEFORE) && (others[name] !== null || name in ABSENT);
  const facts = [
    ...Object.keys(was).map((name) => `${fieldName(name)}: ${textOf(name, was[name])} → ${textOf(name, now[name])}`),
    Object.keys(others)
      .filter(isFact)
      .map((name) => `${fieldName(name)}: ${textOf(name, others[name])}`)
      .join(', '),
  ].filter((fact) => fact !== '');
  const person = personOfSubject(by);
  return [
    wrapped(`${at}  ${person ? personText(person) : nameOf(by)}  ${type}`, INDENT),
    ...facts.map((fact) => wrapped(' '.repeat(INDENT) + fact, INDENT + 2)),
  ].join('\n');
}
