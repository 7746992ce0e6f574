import * as v from 'valibot';
import { isWellFormedApiKey } from './apiKeyFormat.ts';
import { CURRENCIES } from './currency.ts';
import { lowerCaseUuid, MID, UUID } from './mid.ts';

/*
 * What bodies are made of. Limits are those of interface §4 and §8 and, where it is silent, docs/decisions/0008-limits.md.
 */

/** Gives a check the code of its fault, where the kind of the check does not say it: see faults.ts. */
export const withCode = <A extends { type: string }>(code: string, action: A): A => ({
  ...action,
  type: `code:${code}`,
});

/** At most so many Unicode characters; `maxLength` would count an emoji as two. */
const maxCharacters = (max: number) =>
  withCode(
    'too_long',
    v.check<string, string>(
      (value) => value.length <= max || (value.length <= 2 * max && [...value].length <= max),
      `Must have at most ${max} characters.`,
    ),
  );

/**
 * Control characters but for tab and line breaks, halves of surrogate pairs, and U+FFFD, which stands where bytes were no
 * UTF-8: a gateway puts it there before we see the body. In a form that regular expressions of other languages have too, as
 * the contract shows it.
 */
const FORBIDDEN = '\\x00-\\x08\\v\\f\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffd';

/** A text without {@link FORBIDDEN} characters. */
export const TEXT = new RegExp(`^[^${FORBIDDEN}]*$`, 'u');

/** Text as people write it, in any script, without the white space at its ends. A blank text counts as missing. */
export const text = v.pipe(
  v.string(),
  maxCharacters(255),
  // What a check cannot tell the contract, as it is code.
  v.metadata({ maxLength: 255 }),
  // A schema ends a pipe that has found a fault, and all pipes around it: checks that take long get no longer text.
  v.string(),
  v.regex(TEXT, 'Must not have control characters, unpaired surrogates or U+FFFD.'),
  v.trim(),
  withCode('required', v.nonEmpty<string, string>('Is required.')),
);

/** Text to search for: at most 255 characters of any kind, without white space at its ends. */
export const searchText = v.pipe(v.string(), maxCharacters(255), v.metadata({ maxLength: 255 }), v.trim());

/** Forms and dropdowns send these for a field that was left empty. */
const blank = v.pipe(v.string(), maxCharacters(255), v.regex(/^[^\S\v\f]*$/));

/**
 * The lengths of the large schemes' numbers: 15 digits at American Express, 16 at all others, and 19 at some of these. Shorter
 * ones are left out, as references and telephone numbers often have 13 or 14 digits.
 */
const cardNumber = v.pipe(v.string(), v.regex(/^(?:3[47]\d{13}|35\d{14}|[^3]\d{15}(?:\d{3})?)$/), v.creditCard());

/** How people write a card's number: in one go, or in the groups that are on the card, with something in between. */
const cardFormats = (): RegExp[] => {
  const between = '[^\\p{L}\\p{N}]{1,2}';
  const groups = (...digits: string[]) => digits.map((count) => `\\d{${count}}`).join(between);
  const formats = [groups('15,19'), groups('4', '4', '4', '4'), groups('4', '4', '4', '4', '3'), groups('4', '6', '5')];
  // Looked for at each place, as a number that is none may overlap with one that is.
  return formats.map((format) => new RegExp(`(?<!\\d)(?=(${format})(?!\\d))`, 'gu'));
};

/** Whether a text has a payment card's number in it: of the length and the prefix of a scheme, with a check digit that fits. */
function hasCardNumber(value: string): boolean {
  const text = value.normalize('NFKC');
  // Hardly any text has so many digits, and to make the formats takes a while.
  if (text.replace(/\D/g, '').length < 15) return false;
  return cardFormats().some((format) =>
    [...text.matchAll(format)].some(([, written = '']) => v.is(cardNumber, written.replace(/\D/g, ''))),
  );
}

const hasApiKey = (value: string): boolean => (value.match(/apk_[\w-]{48}/g) ?? []).some(isWellFormedApiKey);

/** Text that is stored as it is written, so what somebody typed into the wrong field must not come in by it. */
export const storedText = v.pipe(
  text,
  withCode(
    'card_number',
    v.check<string, string>((value) => !hasCardNumber(value), 'Must not contain the number of a payment card.'),
  ),
  withCode(
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
export const uuid = v.pipe(text, v.regex(UUID, 'Must be a UUID.'), v.metadata({ format: 'uuid' }), v.toLowerCase());

/** An e-mail address as HTML's forms take it (HTML §4.10.5.1.5), with a dot in its domain. */
export const email = v.pipe(
  storedText,
  v.regex(
    /^[0-9A-Za-z.!#$%&'*+/=?^_`{|}~-]+@(?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$/,
    'Must be an e-mail address, such as name@example.com.',
  ),
  v.metadata({ format: 'email' }),
);

/** A MID (interface §2.1, §4.2). One in UUID form is the same in either case. */
export const mid = v.pipe(
  text,
  v.regex(MID, 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'),
  v.transform(lowerCaseUuid),
);

/** For the contract: white space alone and `null` are taken too. */
const MAY_BE_BLANK = v.metadata({ mayBeBlank: true });

/** An optional text. Left out, `null` or blank, it becomes `absent`. */
export const optional = <T, A extends T | undefined = undefined>(
  schema: v.GenericSchema<unknown, T>,
  absent: A = undefined as A,
) =>
  v.pipe(
    v.nullish(v.unknown(), absent),
    MAY_BE_BLANK,
    v.transform((value) => (v.is(blank, value) ? absent : (value ?? absent))),
    v.optional(schema),
    v.transform((value) => (value === undefined ? absent : value) as T | A),
  );

/** A text of an update. Left out, it stays unchanged; `null` and blank texts clear it. */
export const clearable = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.nullish(v.unknown()),
    MAY_BE_BLANK,
    v.transform((value) => (v.is(blank, value) ? null : value)),
    v.nullish(schema),
  );

/** An object with these fields; others are left out, and `validBody` warns about them. valibot alone would take a list for one. */
export const objectOf = <F extends v.ObjectEntries>(fields: F) =>
  v.pipe(
    v.unknown(),
    withCode(
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
    withCode(
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

/** One of these optional fields must be given (interface §4.2: "one of … must be supplied"). The contract shows `fields`. */
export const anyOf = <T extends object>(...fields: (keyof T & string)[]) => ({
  fields,
  ...withCode(
    'required',
    v.rawCheck<T>(({ dataset, addIssue }) => {
      const value = dataset.value as Record<string, unknown> | null;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      if (fields.some((field) => (value[field] ?? null) !== null)) return;
      for (const field of fields)
        addIssue({ message: `One of ${fields.join(' and ')} is required.`, path: [pathItem(field)] });
    }),
  ),
});

/** The terminals of a create, in their order (interface §4.6). */
export const terminals = listOf(
  {
    terminal_id: alphanumeric,
    serial_no: optional(alphanumeric),
    terminal_model: optional(storedText),
    payment_app: optional(text),
    acquirer_name: optional(text),
  },
  'terminal_id',
  'serial_no',
);

const pathItem = (key: string | number) =>
  ({ type: 'unknown', origin: 'value', input: undefined, key, value: undefined }) as const;
