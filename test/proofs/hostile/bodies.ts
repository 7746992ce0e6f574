import type { Operation } from '../../support/invoke.ts';

/*
 * Bodies of a given size that take the most time and memory. They are too large to send, so each is described: JSON
 * text that is repeated up to so many bytes, and the text before and after it.
 */

export interface Part {
  before: string;
  repeated: string;
  bytes: number;
  after: string;
}

/** The largest body that Lambda passes on, less the rest of its event (AWS Lambda quotas: 6 MB, synchronous). */
export const LARGEST = 6_000_000;
/** The largest body that is parsed, with room for what surrounds the repeated text. */
export const LARGEST_PARSED = 240_000;
/**
 * A body ten times as large may take more than ten times as long, but not a hundred times, which would be quadratic.
 */
export const MOST_TIMES_LONGER = 50;
/** CPU milliseconds below which a measurement is noise. */
export const LEAST_MS = 20;

/** An object whose members repeat something, in equal parts of so many bytes. */
const members = (bytes: number, ...values: [name: string, before: string, repeated: string, after: string][]): Part[] =>
  values.map(([name, before, repeated, after], at) => ({
    before: `${at === 0 ? '{' : ','}${JSON.stringify(name)}:${before}`,
    repeated,
    bytes: bytes / values.length,
    after: at === values.length - 1 ? `${after}}` : after,
  }));

/** A body by its size, with the operation that rejects it and the error code. */
type Body = [title: string, operation: Operation, code: string, partsOf: (bytes: number) => Part[]];

/** The body that takes the most memory, about a hundred times its size. */
export const HUNGRIEST: Body = [
  'terminals that are empty objects',
  'createTerminals',
  'validation_failed',
  (bytes) => members(bytes, ['terminals', '[', '{},', '{}]']),
];

export const BODIES: Body[] = [
  [
    'texts that are much work to compose and to search for numbers and keys',
    'createBranch',
    'validation_failed',
    (bytes) =>
      members(
        bytes,
        // Normalization puts marks in order, and the second kind of these comes before the first.
        ['branch_name', '"a', '\u0301', `${'\u0323'.repeat(bytes / 40)}"`],
        ['area', '"', '4444 4444 4444 4444 ', '"'],
        ['city', '"', '\ufdfa', '"'],
        ['country', '"', '4'.repeat(19), '"'],
        ['country_code', '"', `apk_${'A'.repeat(48)}`, '"'],
        ['email', '"a@', 'a.', '!"'],
        ['phone', '"1', ' 1', 'x"'],
        ['mcc', '"', '\\u0000', '"'],
        ['mid', '"', 'A', '"'],
        ['master_merchant_name', '"', '1 ', '"'],
      ),
  ],
  [
    'values, names and lists that mean nothing',
    'archiveTerminal',
    'validation_failed',
    (bytes) =>
      members(
        bytes,
        ['a', '[', '{},', '0]'],
        ['b', '[', '[],', '0]'],
        ['c', '[', '{"a":{"b":"c"}},', '0]'],
        ['d', '"', 'd', '"'],
      ),
  ],
  [
    'one name again and again',
    'archiveTerminal',
    'malformed_json',
    (bytes) => members(bytes, ['a', '{', '"a":{"b":"c"},', '"a":0}']),
  ],
  [
    'many terminals',
    'createTerminals',
    'validation_failed',
    (bytes) => members(bytes, ['terminals', '[', '{"terminal_id":"A1"},', '{}]']),
  ],
  [
    'lists in each other',
    'memberCheck',
    'malformed_json',
    (bytes) => ['[', ']'].map((repeated) => ({ before: '', repeated, bytes: bytes / 2, after: '' })),
  ],
  [
    'a text that does not end',
    'reassignTerminal',
    'malformed_json',
    (bytes) => [{ before: '{"mid":"', repeated: '\\\\', bytes, after: '' }],
  ],
];

/** The described body. */
export const bodyOf = (parts: Part[]): string =>
  parts
    .map(({ before, repeated, bytes, after }) => before + repeated.repeat(bytes / Buffer.byteLength(repeated)) + after)
    .join('');
