import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CONTRACTS, contractViolations, resolved } from '../../../../infra/publish/contract/conformity.ts';
import type { AnyOperation } from '../../../../infra/publish/contract/invoke.ts';
import { mapped, type Schema } from '../../../../infra/publish/contract/schemas.ts';

/*
 * Every test of an operation checks its responses against the contract (test/support/api.ts). Here it is proved that
 * this check finds a field that the contract lacks, in whatever object of whatever response it is.
 */

const FORMATS: Record<string, string> = {
  uuid: '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87',
  'date-time': '2026-11-20T10:00:00.000Z',
  uri: 'https://api.example.com/',
};

const texts = new Map<string, string>();
/** A text that a schema allows. */
function textOf({ format, pattern = '^a$', minLength = 0, maxLength = 255 }: Schema): string {
  if (typeof format === 'string') return FORMATS[format] as string;
  const key = JSON.stringify([pattern, minLength, maxLength]);
  const fits = ({ length }: string) => length >= Number(minLength) && length <= Number(maxLength);
  const matching = () => fc.stringMatching(new RegExp(String(pattern))).filter(fits);
  const text = texts.get(key) ?? (fc.sample(matching(), { numRuns: 1, seed: 1 })[0] as string);
  texts.set(key, text);
  return text;
}

/** A schema that may refer to another, or combine some. */
interface Combined extends Schema {
  $ref?: string;
  allOf?: Combined[];
  oneOf?: Combined[];
}

/** Values that a schema allows: one for each alternative, with all optional fields, and no `null`. */
function valuesOf(schema: Combined, named: Record<string, object>): unknown[] {
  const { $ref, allOf, oneOf, properties, items, ...rest } = schema;
  if ($ref) return valuesOf(named[$ref.split('/').at(-1) as string] as Combined, named);
  if (oneOf) return oneOf.flatMap((each) => valuesOf(each, named));
  const words = [rest['const'], rest['x-extensible-enum'] ?? rest['enum']].flat().filter((word) => word !== undefined);
  if (words.length > 0) return words.slice(0, 1);
  if (items) return [valuesOf(items, named)];
  if (properties) {
    const fields = mapped(properties, (each) => valuesOf(each, named));
    const first = Object.assign(
      {},
      ...(allOf ?? []).map((each) => valuesOf(each, named)[0]),
      mapped(fields, ([one]) => one),
    );
    const others = Object.entries(fields).flatMap(([name, [, ...more]]) =>
      more.map((one) => ({ ...first, [name]: one })),
    );
    return [first, ...others];
  }
  const [type] = [rest['type']].flat();
  if (type === 'string') return [textOf(schema)];
  if (type === 'boolean') return [true];
  if (type === 'integer' || type === 'number') return [rest['minimum'] ?? 0];
  throw new Error(`The contract has a schema of which this test makes no value: ${JSON.stringify(schema)}`);
}

/** The value with one more field, in turn in each of its objects, and where that is. */
function* withUndeclared(value: unknown, at = ''): Generator<[at: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [`${at}/undeclared`, { ...value, undeclared: 1 }];
  for (const [name, each] of Object.entries(value))
    for (const [inside, changed] of withUndeclared(each, `${at}/${name}`))
      yield [inside, Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }];
}

/** A body of each form of each response of both contracts. */
const BODIES = CONTRACTS.flatMap(({ contract, operations }) =>
  [...operations].flatMap(([operation, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) =>
      Object.entries(resolved(contract, response)?.content ?? {}).flatMap(([type, { schema }]) =>
        valuesOf(schema as Combined, contract.components.schemas).map((body) => ({
          operation: operation as AnyOperation,
          status: Number(status),
          type,
          body,
        })),
      ),
    ),
  ),
);

test('a field that the contract does not declare is a violation, in every object of every response', () => {
  const unnoticed: string[] = [];
  for (const { operation, status, type, body } of BODIES) {
    const violations = (sent: unknown) =>
      contractViolations(operation, { status, headers: { 'content-type': type }, body: sent }).join();
    expect([operation, status, violations(body)]).toEqual([operation, status, '']);
    for (const [at, changed] of withUndeclared(body))
      if (!violations(changed).includes(`${at} is not in `)) unnoticed.push(`${operation} ${status} ${at}`);
  }
  expect(unnoticed).toEqual([]);
});
