import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Schema } from '../../../../infra/publish/contract/schemas.ts';
import { CURRENCIES } from '../../../../lib/base/currency.ts';
import { addressFault } from '../../../../lib/webhooks/address.ts';
import { call, OPERATIONS, type Operation, type Request } from '../../../support/api.ts';
import { DESCRIBED, isChange, parametersOf } from '../../../support/contract.ts';
import { deep, seed } from '../../../support/depth.ts';
import { newRequests } from '../../../support/requests.ts';

/*
 * The service rejects the form of a field or parameter if, and only if, docs/openapi.json forbids it, but for what the
 * contract says in prose. Values are at, beside and beyond the limits of each schema; with DEEP=1, they are also
 * random. All fields of a request change at once, as all errors are reported at once.
 */

// A format is an annotation (JSON Schema 2020-12, Validation, §7.2.1); only patterns are validated.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/** Characters that some format or limit treats differently. */
const CHARACTERS = [...'aZ0-+_.@ /\t\n\v\u0000\u0085\u00a0\u200b\u0600\ufeff\ufffd\ufffe\u0660é🏪', '\ud83c'];

/** Characters that no text may have: see `info.description`. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\ufffd]--[\t\n\r]]/v;

const UUID = 'a0000000-0000-4000-8000-00000000000b';
const sorted = (texts: string[]): string[] => [...new Set(texts)].sort();
/** A text of this length. It has no spaces: at its end, they would count for the service, which trims them later. */
const lengthened = (text: string, length: number): string =>
  [...text.replaceAll(' ', '').repeat(length)].slice(0, length).join('');

/** Texts at the limits of a schema, and a valid one with changes. */
function texts(valid: string, { minLength = 1, maxLength = 10, enum: words = [], pattern }: Schema): string[] {
  const lengths = [Number(minLength) - 1, Number(minLength), Number(maxLength), Number(maxLength) + 1];
  const changes = fc.tuple(fc.nat(valid.length), fc.nat(2), fc.constantFrom('', ...CHARACTERS));
  const random = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    changes.map(([at, cut, text]) => valid.slice(0, at) + text + valid.slice(at + cut)),
    ...(typeof pattern === 'string' ? [fc.stringMatching(new RegExp(pattern, 'u'))] : []),
  );
  return [
    valid,
    ...(words as string[]),
    ...lengths.flatMap((length) => [valid, '🏪'].map((text) => lengthened(text, length))),
    ...CHARACTERS.flatMap((text) => [text + valid, valid[0] + text + valid.slice(1)]),
    ...['', ' ', ` ${valid}\t`, valid.slice(1), valid.toLowerCase(), valid.toUpperCase()],
    ...(deep ? fc.sample(random, { numRuns: 1_000, seed }) : []),
  ];
}

const numbers = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number[] =>
  [minimum, maximum].flatMap((limit) => [-1, -0.5, 0, 0.5, 1].map((more) => Number(limit) + more));

/** Values of a field in a body. */
const valuesOf = (valid: unknown, schema: Schema): unknown[] => [
  ...(typeof valid === 'number' ? [valid, ...numbers(schema)] : texts(String(valid), schema)),
  ...[null, true, 0, '60', [], {}, undefined],
];

type Field = [pointer: string, schema: Schema, valid: unknown];

/** The fields of an object, and those of the first item of a list in it. */
const fieldsOf = ({ properties = {} }: Schema, valid: object, at = ''): Field[] =>
  Object.entries(properties).flatMap(([name, schema]): Field[] => {
    const value: unknown = Reflect.get(valid, name) ?? schema['default'] ?? UUID;
    if (Array.isArray(value)) return fieldsOf(schema.items ?? {}, value[0], `${at}/${name}/0`);
    return [[`${at}/${name}`, schema, value]];
  });

/** An object with another value at a JSON Pointer. */
function changed(value: object, pointer: string, field: unknown): object {
  const [, name = '', ...rest] = pointer.split('/');
  const after = rest.length > 0 ? changed(Reflect.get(value, name), `/${rest.join('/')}`, field) : field;
  return Array.isArray(value) ? value.with(Number(name), after) : { ...value, [name]: after };
}

/** The pattern of phone numbers, which describes them with single spaces. */
const PHONE = '^\\+?[0-9]+(?: [0-9]+)*$';

/** What is not invisible in a text, without white space around it. */
const visible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').trim();

/** Fields whose schema does not say that they are codes. */
const IS_CODE = /country_code|card_|terminal_id|acquirer_id|mid/;

/**
 * What the contract describes: texts are trimmed, codes are without invisible characters, and a text without a visible
 * one is `null`. Where that is not allowed, it is an error, as if the text was missing.
 */
function described(value: unknown, { type, pattern, items = {}, properties = {} }: Schema, name = ''): unknown {
  if (typeof value === 'string' && type === 'integer') return /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof value === 'string') {
    if (visible(value) === '') return null;
    const isCode = IS_CODE.test(name) || String(pattern ?? '').startsWith('^');
    const text = isCode ? visible(value) : value.trim();
    return pattern === PHONE ? text.replace(/\p{Zs}+/gu, ' ') : text;
  }
  if (Array.isArray(value)) return value.map((item) => described(item, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, described(each, properties[name] ?? {}, name)]),
  );
}

/** Where the contract forbids an object. A condition of several fields counts at each of them. */
function faultsIn(sent: object, schema: Schema): string[] {
  const value = described(sent, schema) as Record<string, unknown>;
  const validate = ajv.compile(schema);
  validate(JSON.parse(JSON.stringify(value)));
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf');
  const missing = ({ params }: ErrorObject) => ('missingProperty' in params ? `/${params['missingProperty']}` : '');
  const oneOf = ((schema['anyOf'] ?? []) as Schema[]).flatMap(({ required = [] }) => required);
  return [
    ...errors.map((error) => error.instancePath + missing(error)),
    ...(oneOf.every((name) => (value[name] ?? null) === null) ? oneOf.map((name) => `/${name}`) : []),
  ];
}

/** What the contract says of texts in prose. */
const breaksProse = (pointer: string, value: unknown): boolean =>
  typeof value === 'string' &&
  (FORBIDDEN.test(value) ||
    (pointer === '/email' && /[\p{Z}\p{Cf}]/u.test(visible(value))) ||
    (pointer === '/currency' && !CURRENCIES.includes(visible(value))) ||
    (pointer === '/url' && addressFault(visible(value)) !== undefined) ||
    // Of the places of a feed, only this is one of any feed at any time.
    (pointer === '/after' && visible(value) !== 'oldest'));

/** Objects with other values in all their fields, and the fields that are forbidden. */
function* variants(schema: Schema, valid: object, valuesFor: typeof valuesOf) {
  const fields = fieldsOf(schema, valid).map(([pointer, each, value]) => [pointer, valuesFor(value, each)] as const);
  const rounds = Math.max(...fields.map(([, values]) => values.length));
  for (let round = 0; round < rounds; round += 1) {
    const values = fields.map(([pointer, all]) => [pointer, all[round % all.length]] as const);
    const sent = values.reduce((object, [pointer, value]) => changed(object, pointer, value), valid);
    const prose = values.flatMap(([pointer, value]) => (breaksProse(pointer, value) ? [pointer] : []));
    yield { sent, prose, forbidden: faultsIn(sent, schema) };
  }
}

/** Codes of field errors that depend on stored data or on several fields. */
const NOT_ABOUT_FORM = ['taken', 'not_found', 'differs', 'duplicate', 'not_a_partner', 'not_yourself', 'card_number'];

const bodySchemaOf = (operation: Operation): Schema | undefined =>
  DESCRIBED.get(operation)?.requestBody?.content['application/json'].schema;

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

describe.each(OPERATIONS.filter(bodySchemaOf))('the body of %s', (operation) => {
  const schema = bodySchemaOf(operation) as Schema;
  const query = isChange(operation) ? { validate_only: 'true' } : {};

  /** Where the service rejects the form of a body. */
  async function rejectedIn(valid: Request, body: unknown, expected: string[]): Promise<string[]> {
    const { body: response } = await call(operation, { ...valid, query, body: JSON.stringify(body) });
    // An identifier of another form is not found.
    if (response.code === 'not_found') return expected;
    const errors: { pointer: string; code: string }[] = response.errors ?? [];
    return sorted(errors.filter(({ code }) => !NOT_ABOUT_FORM.includes(code)).map(({ pointer }) => pointer));
  }

  test('is rejected at each field that the contract forbids, and at no other', async () => {
    const valid = await requestOf(operation);
    for (const { sent, prose, forbidden } of variants(schema, valid.body as object, valuesOf)) {
      const expected = sorted([...forbidden, ...prose]);
      expect({ sent, rejected: await rejectedIn(valid, sent, expected) }).toEqual({ sent, rejected: expected });
    }
  });

  test('is rejected unless it is an object, with lists of the right length', async () => {
    const valid = await requestOf(operation);
    for (const body of [null, [], 'text', 5]) expect(await rejectedIn(valid, body, [])).toEqual(['']);
    for (const [name, { items, minItems, maxItems }] of Object.entries(schema.properties ?? {}))
      for (const length of items ? [Number(minItems) - 1, Number(maxItems) + 1] : []) {
        const list = Array.from({ length }, (_, at) => ({ terminal_id: `T${at}` }));
        expect(await rejectedIn(valid, { ...(valid.body as object), [name]: list }, [])).toEqual([`/${name}`]);
      }
  });
});

/** Parameters whose rules the contract has in prose too: cursors and texts. They are checked last. */
const IN_PROSE = ['/after', '/before', '/search', '/reason'];

describe.each(OPERATIONS)('the parameters of %s', (operation) => {
  const schemaOf = (place: 'query' | 'header'): Schema => ({
    type: 'object',
    properties: Object.fromEntries(
      parametersOf(operation).flatMap(({ in: part, name, schema }) => (part === place ? [[name, schema]] : [])),
    ),
  });
  const query = schemaOf('query');
  const { 'Idempotency-Key': key } = schemaOf('header').properties ?? {};
  const names = Object.keys(query.properties ?? {});
  // Some are trimmed.
  const textsOf: typeof valuesOf = (value, schema) =>
    [...texts(String(value), schema), ...(schema['type'] === 'integer' ? numbers(schema).map(String) : [])].filter(
      (text) => /^\S(.*\S)?$/s.test(text),
    );

  // find takes one of several, and any text: one of another form is not found.
  if (names.length > 0 && operation !== 'find')
    test('are rejected in the query if, and only if, the contract forbids them', async () => {
      const valid = await requestOf(operation);
      for (const { sent, forbidden } of variants(query, valid.query ?? {}, textsOf)) {
        const { body } = await call(operation, { ...valid, query: sent as Record<string, string> });
        const detail: string = body.code === 'invalid_query' ? body.detail : '';
        const rejected = names.filter((name) => new RegExp(`(?:^| )${name}: `).test(detail)).map((name) => `/${name}`);
        const others = (pointers: string[]) => sorted(pointers.filter((pointer) => !IN_PROSE.includes(pointer)));
        expect({ sent, rejected: others(rejected) }).toEqual({ sent, rejected: others(forbidden) });
        if (forbidden.length > 0) expect({ sent, detail }).not.toEqual({ sent, detail: '' });
      }
    });

  if (key)
    test('are rejected in a header if, and only if, the contract forbids them', async () => {
      const valid = { ...(await requestOf(operation)), query: { validate_only: 'true' } };
      for (const text of texts('a-key', key)) {
        const { body } = await call(operation, { ...valid, headers: { 'idempotency-key': text } });
        const isRejected = body.code === 'invalid_idempotency_key';
        expect({ text, isRejected }).toEqual({ text, isRejected: !ajv.validate(key, text) });
      }
    });
});
