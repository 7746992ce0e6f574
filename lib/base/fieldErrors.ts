import type { BaseIssue } from 'valibot';
import type { FieldError } from './problem.ts';

type Issue = BaseIssue<unknown>;

/**
 * The code of each kind of issue, and its detail where the schema has no message. Details never quote the input. Checks
 * made with `withCode` have their own code; any other issue is `invalid_format` (docs/decisions/0008-limits.md).
 */
const KINDS: Record<string, [code: string, detail?: (requirement: unknown) => string]> = {
  string: ['invalid_type', () => 'Must be a string.'],
  number: ['invalid_type', () => 'Must be a number.'],
  finite: ['invalid_type', () => 'Must be a finite number.'],
  array: ['invalid_type', () => 'Must be an array.'],
  object: ['invalid_type', () => 'Must be an object.'],
  min_length: ['too_short', (least) => `Must have at least ${least} item.`],
  max_length: ['too_long', (most) => `Must have at most ${most} items.`],
  max_bytes: ['too_long'],
  min_value: ['too_small', (least) => `Must be at least ${least}.`],
  max_value: ['too_large', (most) => `Must be at most ${most}.`],
};

/** Escapes a reference token of a JSON Pointer (RFC 6901 §3). */
export const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const pointerOf = ({ path }: Issue): string => (path ?? []).map(({ key }) => `/${escaped(String(key))}`).join('');

const fieldErrorOf = (issue: Issue): FieldError => {
  const pointer = pointerOf(issue);
  if (issue.kind === 'schema' && (issue.input ?? null) === null)
    return { pointer, code: 'required', detail: 'Is required.' };
  const [, ownCode] = issue.type.split('code:');
  const [code, detail] = KINDS[issue.type] ?? [ownCode ?? 'invalid_format'];
  return { pointer, code, detail: detail?.(issue.requirement) ?? issue.message };
};

/** Converts validation issues to field errors, the first at each pointer. */
export const fieldErrorsOf = (issues: Issue[]): FieldError[] =>
  [...Map.groupBy(issues.map(fieldErrorOf), ({ pointer }) => pointer).values()].flatMap(([first]) => first ?? []);
