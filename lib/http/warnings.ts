import * as v from 'valibot';
import { escaped } from '../base/fieldErrors.ts';
import { MOST_PER_REQUEST } from '../base/fields.ts';
import type { FieldError } from '../base/problem.ts';
import { extensibleEnum, field, shownText } from '../base/values.ts';

export const fieldWarning = v.object({
  pointer: field(shownText, 'JSON Pointer (RFC 6901) to the field in the request body.'),
  code: extensibleEnum('unknown_field', 'incomplete'),
  detail: shownText,
});

export const parameterWarning = v.object({
  parameter: field(shownText, 'Name of the query parameter.'),
  code: extensibleEnum('unknown_parameter', 'incomplete', 'too_many_matches'),
  detail: shownText,
});
export type Warning = v.InferOutput<typeof fieldWarning> | v.InferOutput<typeof parameterWarning>;

/** The most warnings about unknown names in a response, which is limited to 6 MB (AWS Lambda quotas). */
const MOST_WARNINGS = 100;

/** The warnings of a request: at most {@link MOST_WARNINGS} about unknown names, and the number of further ones. */
export interface Warnings {
  listed: Warning[];
  leftOut: number;
}

interface Warned {
  warnings?: Warnings;
}

export function warn(event: Warned, warnings: Iterable<Warning>): void {
  event.warnings ??= { listed: [], leftOut: 0 };
  for (const warning of warnings) {
    const isUnknown = warning.code.startsWith('unknown_');
    if (!isUnknown || event.warnings.listed.length < MOST_WARNINGS) event.warnings.listed.push(warning);
    else event.warnings.leftOut += 1;
  }
}

/** The warnings for the response. If some are left out, the last warning says how many. */
export function warningsOf({ warnings: { listed, leftOut } = { listed: [], leftOut: 0 } }: Warned): Warning[] {
  if (leftOut === 0) return listed;
  const detail = `${leftOut} more unknown fields or parameters were ignored.`;
  return [...listed, { pointer: '', code: 'unknown_field', detail }];
}

/** Whether a name can be shown: it is too short for an API key, and has too few digits for a card number. */
export const isShown = (name: string): boolean =>
  /^\P{C}{1,40}$/u.test(name) && name.replace(/\P{N}/gu, '').length < 12;

const unknownField = (pointer: string, name: string): Warning =>
  isShown(name)
    ? { pointer: `${pointer}/${escaped(name)}`, code: 'unknown_field', detail: 'Unknown field. It was ignored.' }
    : { pointer, code: 'unknown_field', detail: 'A field here is unknown and was ignored. Its name is not shown.' };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The most unknown names in a problem, which is short however many there are. */
const MOST_NAMES = 5;

/** What is wrong with the unknown query parameters of a change. */
export function refusalOf(unknown: string[], known: string[]): string {
  const shown = unknown.filter(isShown).slice(0, MOST_NAMES);
  const others = unknown.length - shown.length;
  const names = [...shown, ...(others > 0 ? [`${others} whose names are not shown`] : [])].join(', ');
  const own = known.length > 0 ? `only ${known.join(', ')}` : 'no query parameters';
  return `Unknown query parameters: ${names}. This operation takes ${own}.`;
}

/** What the name of a field means: its letters, in lower case. */
const lettersOf = (name: string): string => name.normalize('NFKC').replace(/\P{L}/gu, '').toLowerCase();

/** Fields that no body has, but that people send to check a request without making the change. */
const CHECKS = ['validateonly', 'dryrun'];

/** The objects in which a body has fields: itself, and the items of its lists. */
const objectsIn = (body: object): [pointer: string, fields: unknown][] => [
  ['', body],
  ...Object.entries(body).flatMap(([list, value]) =>
    Array.isArray(value)
      ? value.map((item, at): [string, unknown] => [isShown(list) ? `/${escaped(list)}/${at}` : '', item])
      : [],
  ),
];

/**
 * Where a body has fields that mean `validate_only`: in each object at most one, without a name that cannot be shown.
 */
const checksIn = (body: object): string[] =>
  objectsIn(body).flatMap(([pointer, fields]) => {
    const name = Object.keys(isObject(fields) ? fields : {}).find((each) => CHECKS.includes(lettersOf(each)));
    if (name === undefined) return [];
    return isShown(name) ? `${pointer}/${escaped(name)}` : pointer;
  });

/**
 * The field errors of fields that mean `validate_only`: no more than a valid body has objects. Ignored like another
 * unknown field, such a field would make the change that it was to check.
 */
export const misplacedChecks = (body: unknown): FieldError[] =>
  [...new Set(checksIn(isObject(body) ? body : {}))].slice(0, 1 + MOST_PER_REQUEST).map((pointer) => ({
    pointer,
    code: 'unknown_field',
    detail: 'A body has no such field. To check a request only, send the query parameter validate_only=true.',
  }));

/** Warns about each field of a body that the parsed value does not have. */
export function* unknownFields(sent: unknown, known: unknown, pointer = ''): Iterable<Warning> {
  if (!isObject(sent) || !isObject(known)) return;
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(known, name)) yield* unknownFields(value, known[name], `${pointer}/${escaped(name)}`);
    else yield unknownField(pointer, name);
  }
}

/** The warning of a search that may have missed something. */
export const TOO_MANY_MATCHES: Warning = {
  parameter: 'search',
  code: 'too_many_matches',
  detail: 'Not everything with these words was searched, so matches may be missing. Add a rarer word.',
};

export const unknownParameter = (name: string): Warning => ({
  parameter: isShown(name) ? name : '',
  code: 'unknown_parameter',
  detail: 'Unknown query parameter. It was ignored.',
});
