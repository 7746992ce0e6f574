import * as v from 'valibot';
import { isWellFormedApiKey } from '../apiKeyForm.ts';
import { CURRENCIES } from '../currency.ts';

/*
 * What bodies are made of. Limits are those of interface §4 and §8 and, where it is silent, docs/decisions/0008-limits.md.
 */

/** Gives a check the code of its fault, where the kind of the check does not say it: see faults.ts. */
export const coded = <A extends { type: string }>(code: string, action: A): A => ({ ...action, type: `code:${code}` });

/** At most so many Unicode characters; `maxLength` would count an emoji as two. */
const maxCharacters = (max: number) =>
  coded(
    'too_long',
    v.check<string, string>(
      (value) => value.length <= max || (value.length <= 2 * max && [...value].length <= max),
      `Must have at most ${max} characters.`,
    ),
  );

/** Control characters but for tab and line breaks, and halves of surrogate pairs. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Text as people write it, in any script. */
export const text = v.pipe(
  v.string(),
  v.nonEmpty(),
  maxCharacters(255),
  // What a check cannot tell the contract, as it is code.
  v.metadata({ maxLength: 255 }),
  // A schema ends a pipe that has found a fault, and all pipes around it: checks that take long get no longer text.
  v.string(),
  v.check((value) => !FORBIDDEN.test(value), 'Must not have control characters or unpaired surrogates.'),
);

const cardNumber = v.pipe(v.string(), v.creditCard());

/** How people write a card's number: in one go, or in the groups that are on the card, with something in between. */
const cardFormats = (): RegExp[] => {
  const between = '[^\\p{L}\\p{N}]{1,2}';
  const groups = (...digits: string[]) => digits.map((count) => `\\d{${count}}`).join(between);
  const formats = [
    groups('14,19'),
    groups('4', '4', '4', '4'),
    groups('4', '4', '4', '4', '3'),
    groups('4', '6', '4,5'),
  ];
  // Looked for at each place, as a number that is none may overlap with one that is.
  return formats.map((format) => new RegExp(`(?<!\\d)(?=(${format})(?!\\d))`, 'gu'));
};

/**
 * Whether a text has a payment card's number in it: 14 digits or more, with an issuer's prefix, and a check digit that
 * fits. With 13, one in ten German telephone numbers would be one.
 */
function hasCardNumber(value: string): boolean {
  const text = value.normalize('NFKC');
  // Hardly any text has so many digits, and to make the formats takes a while.
  if (text.replace(/\D/g, '').length < 14) return false;
  return cardFormats().some((format) =>
    [...text.matchAll(format)].some(([, written = '']) => v.is(cardNumber, written.replace(/\D/g, ''))),
  );
}

const hasApiKey = (value: string): boolean => (value.match(/apk_[\w-]{48}/g) ?? []).some(isWellFormedApiKey);

/** Text that is stored as it is written, so what somebody typed into the wrong field must not come in by it. */
export const storedText = v.pipe(
  text,
  coded(
    'card_number',
    v.check<string, string>((value) => !hasCardNumber(value), 'Must not contain the number of a payment card.'),
  ),
  coded(
    'api_key',
    v.check<string, string>(
      (value) => !hasApiKey(value),
      'Must not contain an API key. If it is yours, have it revoked.',
    ),
  ),
);

/** A name that is part of a key, where 1,024 bytes is DynamoDB's limit for the whole sort key. */
export const keyName = v.pipe(text, v.maxBytes(1000, 'Must have at most 1000 bytes in UTF-8.'));

export const alphanumeric = v.pipe(text, v.regex(/^[0-9A-Za-z]+$/, 'Must be alphanumeric (0-9, A-Z, a-z).'));

/** A currency's code (ISO 4217). */
export const currency = v.pipe(text, v.values(CURRENCIES, 'Must be an ISO 4217 code, such as EUR.'));

/** A UUID (RFC 9562) in lower case, whatever case it was sent in. */
export const uuid = v.pipe(v.string(), v.uuid('Must be a UUID.'), v.metadata({ maxLength: 36 }), v.toLowerCase());

/** A field of a create that may be left out; explicit `null` means the same as absent. */
export const optional = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.nullish(schema),
    v.transform((value): T | undefined => value ?? undefined),
  );

/** An object with these fields; others are ignored. valibot alone would take a list for one. */
export const objectOf = <F extends v.ObjectEntries>(fields: F) =>
  v.pipe(
    v.unknown(),
    coded(
      'invalid_type',
      v.check((value) => !Array.isArray(value), 'Must be an object.'),
    ),
    v.object(fields),
  );

/** A list of 1 to 40 objects, no two of which agree in one of the `unique` fields. */
export const listOf = <F extends v.ObjectEntries>(fields: F, ...unique: (keyof F & string)[]) =>
  v.pipe(
    // The length comes first, so that a huge list is one fault and not one for each of its items.
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(40),
    v.array(objectOf(fields)),
    coded(
      'duplicate',
      v.rawCheck<v.InferOutput<v.ObjectSchema<F, undefined>>[]>(({ dataset, addIssue }) => {
        for (const field of unique) {
          const seen = new Set<unknown>();
          for (const [at, item] of Object.entries(dataset.value as Record<string, unknown>[])) {
            const value = item?.[field];
            if (typeof value === 'string' && seen.has(value))
              addIssue({
                message: `Stands twice in this request; each ${field} must differ.`,
                path: [pathItem(Number(at)), pathItem(field)],
              });
            seen.add(value);
          }
        }
      }),
    ),
  );

/** Just one of two optional fields must be given (interface §4.2: "one of … must be supplied"). */
export const exactlyOneOf = <T extends object>(one: keyof T & string, other: keyof T & string) =>
  coded(
    'exactly_one',
    v.rawCheck<T>(({ dataset, addIssue }) => {
      const value = dataset.value as Record<string, unknown> | null;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      const isGiven = (field: string) => (value[field] ?? null) !== null;
      if (isGiven(one) === isGiven(other))
        addIssue({ message: `Give exactly one of ${one} and ${other}.`, path: [pathItem(one)] });
    }),
  );

const pathItem = (key: string | number) =>
  ({ type: 'unknown', origin: 'value', input: undefined, key, value: undefined }) as const;
