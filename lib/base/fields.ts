import * as v from 'valibot';
import { isWellFormedApiKey } from './apiKeyFormat.ts';
import { CURRENCIES } from './currency.ts';
import { withoutInvisible, withoutInvisibleInAddress } from './invisible.ts';
import { MID, MID_PATTERN, storedId, UUID } from './mid.ts';
import { LONGEST_URL } from './url.ts';

/*
 * Schemas of request fields. docs/decisions/0008-limits.md explains their limits. The contract shows their patterns,
 * which so use only syntax that other languages read alike (docs/decisions/0017-the-contract-is-made-of-the-code.md).
 */

/** What the contract says of a value beside what its schema checks. It describes the value as it is stored. */
export const published = <T>(keywords: object) => v.metadata<T, { published: object }>({ published: keywords });

const ALPHANUMERIC = /^[0-9A-Za-z]+$/;

/** What the contract says of a UUID, a MID and another alphanumeric id. */
export const UUID_KEYWORDS = { format: 'uuid', pattern: UUID.source, maxLength: 36 };
export const MID_KEYWORDS = { pattern: MID_PATTERN, maxLength: 64 };
export const ID_KEYWORDS = { pattern: ALPHANUMERIC.source, maxLength: 255 };

/** Sets the code of a check's field error, for checks whose type has none of its own: see fieldErrors.ts. */
export const withCode = <A extends { type: string }>(code: string, action: A): A => ({
  ...action,
  type: `code:${code}`,
});

const checkText = (code: string, isRight: (value: string) => boolean, message: string) =>
  withCode(code, v.check<string, string>(isRight, message));

/** Limits the number of Unicode code points; `v.maxLength` counts an emoji as two. */
const maxCharacters = (max: number) =>
  checkText(
    'too_long',
    (value) => value.length <= max || (value.length <= 2 * max && [...value].length <= max),
    `Must have at most ${max} characters.`,
  );

/**
 * Control characters except tab and line breaks, unpaired surrogates, noncharacters, which no workbook can hold, and
 * U+FFFD, with which a gateway replaces bytes that are not UTF-8. Languages have no common syntax for them.
 */
const FORBIDDEN = '\\x00-\\x08\\v\\f\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\p{Noncharacter_Code_Point}\\ufffd';

export const TEXT = new RegExp(`^[^${FORBIDDEN}]*$`, 'u');

const sentTextOf = (maxLength: number) =>
  v.pipe(
    v.string(),
    maxCharacters(maxLength),
    // For the contract, which cannot read the limit from the check.
    v.metadata({ maxLength }),
    // A schema aborts the pipe if there are issues so far. So slow checks never run on longer texts.
    v.string(),
    v.regex(TEXT, 'Must not have control characters, unpaired surrogates, noncharacters such as U+FFFE, or U+FFFD.'),
  );

/** Text in any script, as it was sent. */
const sentText = sentTextOf(255);

/** Trims a text. One without a visible character counts as missing. */
const trimmed = [
  v.trim(),
  checkText('required', (value) => withoutInvisible(value).trim() !== '', 'Is required.'),
] as const;

/** Text in any script, trimmed. It keeps invisible characters: words of some scripts and emoji consist of them too. */
export const text = v.pipe(sentText, ...trimmed);

/** A code or number, trimmed. Invisible characters are dropped, so that two that look the same are the same. */
export const code = v.pipe(sentText, v.transform(withoutInvisible), ...trimmed);

/** Text to search for: at most 255 characters of any kind, trimmed. */
export const searchText = v.pipe(v.string(), maxCharacters(255), v.metadata({ maxLength: 255 }), v.trim());

/** Forms and dropdowns send a blank text for an empty field. */
const blank = v.pipe(v.string(), maxCharacters(255), v.regex(/^[[\s--[\v\f]]\p{Default_Ignorable_Code_Point}]*$/v));

/**
 * A card number of the large schemes. Shorter ones are not matched: references and telephone numbers often have 13 or
 * 14 digits.
 */
const cardNumber = v.pipe(v.string(), v.regex(/^(?:3[47]\d{13}|35\d{14}|[^3]\d{15}(?:\d{3})?)$/), v.creditCard());

/** All digits together, or in the groups printed on the card, with up to eight other characters between them. */
const cardFormats = (): RegExp[] => {
  const between = '[^\\p{L}\\p{N}]{1,8}';
  const groups = (...digits: string[]) => digits.map((count) => `\\d{${count}}`).join(between);
  const formats = [groups('15,19'), groups('4', '4', '4', '4'), groups('4', '4', '4', '4', '3'), groups('4', '6', '5')];
  // The lookahead also finds overlapping matches: digits that fail the check may overlap with a card number.
  return formats.map((format) => new RegExp(`(?<!\\d)(?=(${format})(?!\\d))`, 'gu'));
};

let formats: RegExp[] | undefined;

const DIGIT = /\p{Nd}/u;

/** The ASCII digit of a decimal digit of any script. Each script has ten, one after another from 0 (Unicode §4.6). */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** Whether a text has a number with the length and prefix of a scheme, and a valid check digit. */
function hasCardNumber(value: string): boolean {
  const shown = withoutInvisible(value.normalize('NFKC'));
  // Few texts have this many digits, and compiling the formats is slow.
  if ((shown.match(/\p{Nd}/gu) ?? []).length < 15) return false;
  const text = shown.replace(/[\p{Nd}--[0-9]]/gv, asciiDigit);
  formats ??= cardFormats();
  return formats.some((format) =>
    [...text.matchAll(format)].some(([, written = '']) => v.is(cardNumber, written.replace(/\D/g, ''))),
  );
}

const hasApiKey = (value: string): boolean =>
  (withoutInvisible(value).match(/apk_[\w-]{48}/g) ?? []).some(isWellFormedApiKey);

/** Rejects card numbers and API keys, which people type into the wrong field. */
const harmless = [
  checkText('card_number', (value) => !hasCardNumber(value), 'Must not contain a payment card number.'),
  checkText('api_key', (value) => !hasApiKey(value), 'Must not contain an API key. If it is yours, have it revoked.'),
] as const;

/** Converts a text to NFC (Unicode UAX #15), so that texts that look alike are equal. Some letters become longer. */
const composed = [v.transform((value: string) => value.normalize('NFC')), maxCharacters(255)] as const;

/** A name of reference data. */
export const name = v.pipe(text, ...composed);

/** Text that is stored in plain. */
export const storedText = v.pipe(name, ...harmless);

/** A code in no particular format that is stored in plain. */
export const storedCode = v.pipe(code, ...composed, ...harmless);

/** A name that is part of a sort key, which DynamoDB limits to 1,024 bytes. */
export const keyName = v.pipe(name, v.maxBytes(1000, 'Must have at most 1000 bytes in UTF-8.'));

export const alphanumeric = v.pipe(code, v.regex(ALPHANUMERIC, 'Must be alphanumeric (0-9, A-Z, a-z).'));

/** A currency code (ISO 4217). */
export const currency = v.pipe(
  code,
  v.values(CURRENCIES, 'Must be an ISO 4217 code, such as EUR.'),
  published({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 }),
);

export const oneOf = <const W extends readonly string[]>(words: W) =>
  v.pipe(
    code,
    v.values(words, `Must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`),
    v.transform((value) => value as W[number]),
  );

/** A UUID (RFC 9562), also in braces or as a URN. */
export const uuid = v.pipe(code, v.transform(storedId), v.regex(UUID, 'Must be a UUID.'), published(UUID_KEYWORDS));

/** A query parameter that is an id. Any text: one that cannot be such an id is not found. */
export const soughtId = (keywords: object) =>
  v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.transform((value) => storedId(value).trim()),
      v.nonEmpty('Must not be empty.'),
      published(keywords),
    ),
  );

/** The label of an API key. It is logged, so it has no characters of e-mail addresses and full names. */
export const keyLabel = v.pipe(
  code,
  ...harmless,
  v.regex(
    /^[0-9A-Za-z_.-]{1,64}$/,
    'Must be 1 to 64 of 0-9, A-Z, a-z, dot, hyphen and underscore, such as production.',
  ),
  published({ maxLength: 64 }),
);

const NO_EMAIL = 'Must be an e-mail address, such as name@example.com.';
const MISLEADING =
  'Must be an e-mail address without spaces, joiners (U+200C, U+200D) and characters that turn into others.';

/** A letter or digit of a domain; `more` are further ASCII characters. */
const character = (more = '') => `(?:[0-9A-Za-z${more}]|[^ -~\\t\\r\\n])`;
const DOMAIN_LABEL = `${character()}(?:${character('-')}{0,61}${character()})?`;

/**
 * An e-mail address as HTML forms accept it (HTML §4.10.5.1.5), with a dot in the domain, and letters of any script
 * (RFC 6531). The check rejects spaces, joiners and other format characters, and those that NFC converts to ASCII.
 */
export const email = v.pipe(
  sentText,
  v.transform(withoutInvisibleInAddress),
  ...trimmed,
  ...harmless,
  v.regex(new RegExp(`^${character(".!#$%&'*+/=?^_`{|}~-")}+@(?:${DOMAIN_LABEL}\\.)+${DOMAIN_LABEL}$`, 'u'), NO_EMAIL),
  v.string(),
  checkText('invalid_format', (value) => !/[\p{Z}\p{Cf}\u037e\u1fef\u212a]/u.test(value), MISLEADING),
  published({ format: 'idn-email' }),
  ...composed,
);

/** An address without the case of its ASCII letters. No other letter is folded: see normalEmail. */
export const inLowerCase = (email: string): string => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A character of a URL, as it is or percent-encoded; `more` are those of its part (RFC 3986, appendix A). */
const urlCharacter = (more: string) => `(?:[0-9a-z.~!$&'()*+,;=:${more}-]|%[0-9A-Fa-f]{2})`;
// This range has the brackets of an IPv6 address, which languages write differently in a class. It also has a backslash
// and ^, which no host has: whoever uses a URL parses it.
const SERVER = urlCharacter('A-_');
const PATH = urlCharacter('A-Z_/?@');

/** A URL (RFC 3986), without invisible characters. Its scheme and host are checked where it is used. */
export const url = v.pipe(
  sentTextOf(LONGEST_URL),
  v.transform(withoutInvisible),
  ...trimmed,
  ...harmless,
  v.regex(
    new RegExp(`^https?://(?:${SERVER}|@)+(?:[/?#](?:${PATH}|#)*)?$`, 'i'),
    'Must be a URL such as https://hooks.example.com/events, with other characters percent-encoded.',
  ),
  published({ format: 'uri', pattern: `^[Hh][Tt][Tt][Pp][Ss]://${SERVER}+(?:[/?]${PATH}*)?$` }),
);

/** A phone number, in groups of digits. Spaces of any kind become single spaces. */
export const phone = v.pipe(
  code,
  v.transform((value) => value.replace(/\p{Zs}+/gu, ' ')),
  ...harmless,
  v.regex(
    /^\+?[0-9]+(?: [0-9]+)*$/,
    'Must be digits, with spaces allowed between them, after an optional +, such as +351 210 000 000.',
  ),
);

/** A merchant category code (ISO 18245). */
export const mcc = v.pipe(code, v.regex(/^[0-9]{4}$/, 'Must be four digits.'), published({ maxLength: 4 }));

/** A MID. One in UUID form is stored as all UUIDs are. */
export const mid = v.pipe(
  code,
  v.transform(storedId),
  v.regex(MID, 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'),
  published(MID_KEYWORDS),
);

/** For the contract: `null` and blank texts are accepted too. */
const MAY_BE_BLANK = v.metadata({ mayBeBlank: true });

/** An optional text. If omitted, `null` or blank, it becomes `absent`. */
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

/** A text of an update. `null` and blank texts clear the field; if omitted, it is unchanged. */
export const clearable = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.nullish(v.unknown()),
    MAY_BE_BLANK,
    v.transform((value) => (v.is(blank, value) ? null : value)),
    v.nullish(schema),
  );

const isNoArray = (value: unknown): boolean => !Array.isArray(value);

/** An object with these fields. Others are dropped, and `validBody` warns about them. `v.object` accepts arrays. */
export const objectOf = <F extends v.ObjectEntries>(fields: F) =>
  v.pipe(v.unknown(), withCode('invalid_type', v.check(isNoArray, 'Must be an object.')), v.object(fields));

/**
 * The most items of a list in a body. A create of a branch with 40 terminals and their serials takes up to 93 of the
 * 100 steps that a transaction can have (test/proofs/limits).
 */
export const MOST_PER_REQUEST = 40;

/** A list of 1 to {@link MOST_PER_REQUEST} objects, with no duplicate values in the `unique` fields. */
export const listOf = <F extends v.ObjectEntries>(fields: F, ...unique: (keyof F & string)[]) =>
  v.pipe(
    // The length is checked first, so that a huge list is a single field error.
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(MOST_PER_REQUEST),
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
                message: `Appears twice in this request; each ${field} must differ.`,
                path: [pathItem(Number(at)), pathItem(field)],
              });
            seen.add(value);
          }
        }
      }),
    ),
  );

/** Requires at least one of these optional fields. The contract reads `fields`. */
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

/** `terminals` of POST /ext/api/v1/merchants and POST /ext/api/v1/terminals/{mid}. */
export const terminals = listOf(
  {
    terminal_id: alphanumeric,
    serial_no: optional(alphanumeric),
    terminal_model: optional(storedText),
    payment_app: optional(name),
    acquirer_name: optional(name),
  },
  'terminal_id',
  'serial_no',
);

const pathItem = (key: string | number) =>
  ({ type: 'unknown', origin: 'value', input: undefined, key, value: undefined }) as const;
