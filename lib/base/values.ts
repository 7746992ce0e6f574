import * as v from 'valibot';
import { EVENT_CURSOR, LIST_CURSOR, TIME_CURSOR } from './cursor.ts';
import { MID_PATTERN } from './mid.ts';
import { limitError } from './rateAndBurst.ts';
import { LONGEST_URL } from './url.ts';

/*
 * Schemas of stored items and of responses, which functions do not validate. Those named `shown` are only in responses.
 * `jsonSchema` is a value's schema in the contract.
 */

const jsonSchema = <T>(keywords: object) => v.metadata<T, { jsonSchema: object }>({ jsonSchema: keywords });

/** A UUID in lower case, as all are stored. */
export const uuidValue = v.pipe(
  v.string(),
  v.regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  jsonSchema({ type: 'string', format: 'uuid', maxLength: 36 }),
);

/** RFC 3339 UTC with milliseconds. */
export const time = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  jsonSchema({ type: 'string', format: 'date-time', maxLength: 24 }),
);

/** Seconds since 1970, as DynamoDB's time to live expects. The maximum rejects milliseconds. */
export const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9_999_999_999));

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const shownNumber = (minimum: number, maximum: number) =>
  v.pipe(v.number(), jsonSchema<number>({ type: 'integer', format: 'int32', minimum, maximum }));

export const positive = v.pipe(v.number(), v.integer(), v.minValue(1));

export const bytes = v.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A SHA-256 hash or an HMAC-SHA-256, in hexadecimal. */
export const hash = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));

/** A keyed hash of a card or a member: an HMAC-SHA-256, from version 2 of the key on with the version. */
export const keyedHash = v.pipe(v.string(), v.regex(/^(?:[2-9]\.)?[\da-f]{64}$/));

export const keyId = v.pipe(v.string(), v.regex(/^[\da-f]{12}$/));

/** 32 random bytes in base64url: see membershipItem. */
export const browserKey = v.pipe(
  v.string(),
  v.regex(/^[\w-]{43}$/),
  jsonSchema({ type: 'string', pattern: '^[0-9A-Za-z_-]{43}$', minLength: 43, maxLength: 43 }),
);

export const rateLimit = v.pipe(
  v.object({ rate: count, burst: count }),
  v.check((value) => !limitError(value)),
);

export const status = v.picklist(['active', 'archived']);

export const shownText = v.pipe(v.string(), jsonSchema({ type: 'string', maxLength: 255 }));

export const shownKeyId = v.pipe(v.string(), jsonSchema({ type: 'string', pattern: '^[0-9a-f]{12}$', maxLength: 12 }));

export const shownId = v.pipe(v.string(), jsonSchema({ type: 'string', pattern: '^[0-9A-Za-z]+$', maxLength: 255 }));

export const shownMid = v.pipe(v.string(), jsonSchema({ type: 'string', pattern: MID_PATTERN, maxLength: 64 }));

export const shownCurrency = v.pipe(v.string(), jsonSchema({ type: 'string', pattern: '^[A-Z]{3}$', maxLength: 3 }));

export const boolean = v.pipe(v.boolean(), jsonSchema({ type: 'boolean' }));

export const amount = v.pipe(v.number(), v.minValue(0), jsonSchema({ type: 'number', format: 'double', minimum: 0 }));

export const shownCursor = v.pipe(
  v.string(),
  jsonSchema({ type: 'string', pattern: `^${EVENT_CURSOR}$`, minLength: 64, maxLength: 64 }),
);

export const shownFeedCursor = v.pipe(
  v.string(),
  jsonSchema({ type: 'string', pattern: `^(?:${TIME_CURSOR}|${EVENT_CURSOR})$`, minLength: 34, maxLength: 64 }),
);

export const shownListCursor = v.pipe(
  v.string(),
  jsonSchema({ type: 'string', pattern: `^${LIST_CURSOR}$`, minLength: 18, maxLength: 144 }),
);

export const shownUrl = v.pipe(v.string(), jsonSchema({ type: 'string', format: 'uri', maxLength: LONGEST_URL }));

/** A URL of a page. It repeats the query: three characters for each of the gateway's 10,240 at most. */
export const link = v.pipe(v.string(), jsonSchema({ type: 'string', format: 'uri', maxLength: 32_000 }));

/** An enum to which later versions may add values. `x-extensible-enum` lists those of this version. */
export const extensibleEnumSchema = (words: readonly string[]) => ({
  type: 'string',
  pattern: '^[a-z_]+$',
  maxLength: 64,
  'x-extensible-enum': words,
});

/** An enum to which later versions may add values. */
export const extensibleEnum = (...words: string[]) =>
  v.pipe(v.picklist(words), jsonSchema(extensibleEnumSchema(words)));

/** An object with the fields of `base`, and these. */
export const extend = <B extends v.ObjectEntries, F extends v.ObjectEntries>(base: { entries: B }, fields: F) =>
  v.object({ ...base.entries, ...fields });

/** The values of a response. Those that are `null` in it can be absent. */
type Values<O> = { [K in keyof O as null extends O[K] ? never : K]: O[K] } & {
  [K in keyof O as null extends O[K] ? K : never]?: O[K] | undefined;
};

/** Converts values to a response: it has the fields of the schema and no others, and `null` where a value is absent. */
export const shownAs = <O extends object>(
  { entries }: { entries: v.ObjectEntries } & v.GenericSchema<unknown, O>,
  values: Values<O>,
): O =>
  Object.fromEntries(Object.keys(entries).map((name) => [name, values[name as keyof typeof values] ?? null])) as O;

export const listOf = <S extends v.GenericSchema>(item: S, most: number) => v.pipe(v.array(item), v.maxLength(most));

/** A field of a response with its description in the contract. */
export const field = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description));
