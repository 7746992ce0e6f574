import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

/** The JSON Schema keywords (draft 2020-12) that the contract uses for requests. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

/** Existing values that a field of this name should often have. */
export type Hints = Record<string, unknown[]>;

// A format is an annotation (JSON Schema 2020-12, Validation, §7.2.1); only patterns are validated.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new WeakMap<Schema, (value: unknown) => boolean>();

/** Whether a schema allows a value. */
export function allows(schema: Schema, value: unknown): boolean {
  const validator = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validator);
  return validator(value);
}

/** Values that a schema allows, up to its limits. Fields with hints mostly have one of those values. */
export function allowedBy(schema: Schema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const kinds = [schema.type ?? []].flat().map((type) => KINDS[type as keyof typeof KINDS](schema, hints));
  const values = schema.enum ? fc.constantFrom(...schema.enum) : fc.oneof(...kinds);
  const allowed = values.filter((value) => allows(schema, value));
  const known = (hints[name] ?? []).filter((value) => allows(schema, value));
  if (known.length === 0) return allowed;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: allowed });
}

const KINDS = {
  null: () => fc.constant(null),
  integer: ({ minimum = 0, maximum = 0 }: Schema) =>
    fc.oneof(fc.integer({ min: 1, max: 5 }), between(minimum, maximum)),
  number: ({ minimum = 0, maximum = Number.MAX_VALUE }: Schema) =>
    fc.oneof(fc.double({ min: minimum, max: maximum, noNaN: true }), fc.constantFrom(minimum, maximum)),
  string: ({ pattern = '', maxLength = 0 }: Schema) => {
    const format = new RegExp(pattern, 'u');
    const texts = fc.oneof(
      ...(pattern ? [matching(pattern)] : []),
      // A narrow format would reject almost all of these.
      ...(format.test('é🏪') ? [fc.string({ unit: 'grapheme' }).filter((text) => format.test(text))] : []),
    );
    // As long as possible, in Unicode characters. A limit of the gateway is not one of the service.
    const longest = maxLength < 1000 ? maxLength : 0;
    const lengths = [longest, ...[...pattern.matchAll(/(\d+)\}/g)].map(([, most]) => Number(most))];
    const stretched = fc.oneof(
      texts.map((text) => text + ' '.repeat(Math.max(0, longest - [...text].length))),
      fc
        .tuple(texts, fc.constantFrom(...lengths))
        .map(([text, length]) => [...text.repeat(length)].slice(0, length).join('')),
    );
    const stillAllowed = fc.oneof(texts, stretched, texts.chain(inserted)).filter((text) => format.test(text));
    return fc.oneof(texts, stillAllowed);
  },
  array: ({ items = {}, minItems = 0, maxItems = 0 }: Schema, hints: Hints) =>
    fc.oneof(
      { weight: 19, arbitrary: fc.array(allowedBy(items, hints), { minLength: minItems, maxLength: minItems + 2 }) },
      { weight: 1, arbitrary: fc.array(allowedBy(items, hints), { minLength: maxItems, maxLength: maxItems }) },
    ),
  object: ({ properties = {}, required = [], anyOf = [{}] }: Schema, hints: Hints) => {
    const fields: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, allowedBy(each, hints, name)]),
    );
    const known = anyOf.map((condition) =>
      fc.record(fields, { requiredKeys: [...required, ...(condition.required ?? [])] }),
    );
    return fc
      .tuple(unknownFields(Object.keys(properties), ANY_VALUE), fc.oneof(...known))
      .map(([more, sent]) => ({ ...more, ...sent }));
  },
};

const byPattern: Record<string, fc.Arbitrary<string>> = {};
/** Texts with a pattern. fast-check takes long to prepare for one. */
function matching(pattern: string): fc.Arbitrary<string> {
  // For \S, fast-check generates only the space among all white space.
  const searched = pattern.replaceAll('[^\\S\\v\\f]', '[ \\t\\n\\u00a0\\u2003\\ufeff]');
  byPattern[pattern] ??= fc.stringMatching(new RegExp(searched, 'u'));
  return byPattern[pattern];
}

const between = (minimum: number, maximum: number) =>
  fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));

/** Names that a JSON body cannot have: see lib/http/body.ts. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor'];

const ANY_VALUE = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.constant({ x: 1 }));

/** Fields or parameters that an operation does not know. */
export const unknownFields = <T>(known: string[], values: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(
    fc.string().filter((name) => ![...known, ...FORBIDDEN_NAMES].includes(name)),
    values,
    { maxKeys: 2 },
  );

const NUMBERS = [0, -1, 0.5, 101, -0.01, Number.MAX_SAFE_INTEGER + 1];
const TEXTS = [
  '',
  ' ',
  'x',
  '1',
  'EURO',
  'é',
  'x'.repeat(256),
  '🏪'.repeat(256),
  '\ufeff',
  '\u0000',
  '\ud800',
  '\ufffd',
];
/** Values of any kind, to replace others. */
const ANYTHING = [true, ...NUMBERS, ...TEXTS, [], {}, [null], [{}], { x: 1 }];
/** Characters that some format or limit treats differently. */
export const CHARACTERS = [
  ...'aZ0-+_.@ /\t\n\v\f\u0000\u0007\u0085\u00a0\u2028\ufeff\ufffd\u0660é🏪',
  '\ud83c',
  '\udfea',
];

/** A text with one more character. */
const inserted = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.constantFrom(...CHARACTERS))
    .map(([at, character]) => text.slice(0, at) + character + text.slice(at));

/** A value with a single change anywhere in it. Fields with hints may get one of those values. */
export function changed(value: unknown, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const known = hints[name] ?? [];
  const anything = fc.oneof(
    fc.constant<unknown>(null),
    ...[ANYTHING, known].filter(({ length }) => length > 0).map((values) => fc.constantFrom(...values)),
  );
  if (typeof value === 'string') {
    const cut = fc.nat(value.length).map((at) => value.slice(0, at) + value.slice(at + 1));
    const repeated = fc.integer({ min: 2, max: 300 }).map((length) => value.repeat(length).slice(0, length));
    return fc.oneof(anything, inserted(value), cut, repeated);
  }
  if (Array.isArray(value)) {
    const repeated = fc
      .constantFrom(0, 41)
      .map((length) => Array.from({ length }, (_, at) => value[at % value.length]));
    const inside = value.map((item, at) => changed(item, hints).map((other) => value.with(at, other)));
    return fc.oneof(anything, repeated, ...inside);
  }
  if (typeof value === 'object' && value !== null) {
    const inside = Object.entries(value).flatMap(([field, each]) => {
      const { [field as never]: _, ...without } = value;
      return [fc.constant(without), changed(each, hints, field).map((other) => ({ ...value, [field]: other }))];
    });
    return fc.oneof(anything, ...inside.map((arbitrary) => ({ weight: 2, arbitrary })));
  }
  return anything;
}

/** Values that a schema forbids and that differ in a single change from one that it allows. */
export const forbiddenBy = (schema: Schema, hints: Hints): fc.Arbitrary<unknown> =>
  allowedBy(schema, hints)
    .chain((value) => changed(value, hints))
    .filter((value) => !allows(schema, value));
