import * as v from 'valibot';
import { escaped } from '../base/fieldErrors.ts';
import { field, shownText, word } from '../base/values.ts';
import type { Incoming } from './middleware.ts';

/** A field that the operation does not know. */
export const fieldWarning = v.object({
  pointer: field(shownText, 'JSON Pointer (RFC 6901) to the field in the request body.'),
  code: word('unknown_field'),
  detail: shownText,
});

/** A query parameter that the operation does not know. */
export const parameterWarning = v.object({
  parameter: field(shownText, 'Name of the query parameter.'),
  code: word('unknown_parameter'),
  detail: shownText,
});
export type Warning = v.InferOutput<typeof fieldWarning> | v.InferOutput<typeof parameterWarning>;

/** An answer is limited to 6 MB (AWS Lambda quotas), and may already hold 40 terminals. */
const MOST_WARNINGS = 100;

/** What the chain has collected: the first {@link MOST_WARNINGS} warnings, and how many there are besides. */
export interface Warnings {
  listed: Warning[];
  leftOut: number;
}

/** Adds warnings to those of a call. */
export function warn(event: Incoming, warnings: Iterable<Warning>): void {
  event.warnings ??= { listed: [], leftOut: 0 };
  for (const warning of warnings) {
    if (event.warnings.listed.length < MOST_WARNINGS) event.warnings.listed.push(warning);
    else event.warnings.leftOut += 1;
  }
}

/** The warnings of a call as its answer has them: the last one says how many are left out. */
export function warningsOf({ warnings: { listed, leftOut } = { listed: [], leftOut: 0 } }: Incoming): Warning[] {
  if (leftOut === 0) return listed;
  const detail = `${leftOut} more fields or parameters are unknown and were ignored.`;
  return [...listed, { pointer: '', code: 'unknown_field', detail }];
}

/** Whether a name can be repeated: it has no room for an API key, and too few digits for the number of a card. */
const isShown = (name: string): boolean => /^\P{C}{1,40}$/u.test(name) && name.replace(/\P{N}/gu, '').length < 12;

const unknownField = (pointer: string, name: string): Warning =>
  isShown(name)
    ? {
        pointer: `${pointer}/${escaped(name)}`,
        code: 'unknown_field',
        detail: 'This operation does not know the field and ignored it.',
      }
    : {
        pointer,
        code: 'unknown_field',
        detail: 'This operation does not know one of the fields here and ignored it. Its name is not repeated.',
      };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * The fields of a body that its schema does not know: those that are not in what the schema made of it.
 *
 * @param sent The body, or a part of it.
 * @param known What the schema made of it.
 */
export function* unknownFields(sent: unknown, known: unknown, pointer = ''): Iterable<Warning> {
  if (!isObject(sent) || !isObject(known)) return;
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(known, name)) yield* unknownFields(value, known[name], `${pointer}/${escaped(name)}`);
    else yield unknownField(pointer, name);
  }
}

/** Says that an operation does not know a query parameter. */
export const unknownParameter = (name: string): Warning => ({
  parameter: isShown(name) ? name : '',
  code: 'unknown_parameter',
  detail: 'This operation does not know the query parameter and ignored it.',
});
