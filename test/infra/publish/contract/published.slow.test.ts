import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OPERATIONS, type Operation } from '../../../support/api.ts';
import { DESCRIBED, parametersOf } from '../../../support/contract.ts';
import { runs, seed } from '../../../support/depth.ts';
import { allowedBy, allows, type Schema } from './arbitrary.ts';
import { EXACT } from './exact.ts';

/*
 * Compares what docs/openapi.json allows with the exact schemas of requests (exact.ts). They differ only as the contract
 * says in prose.
 */

const SAMPLES = { numRuns: runs(1_000), seed };

/** Characters that no text may have: see `info.description`. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\ufffd]--[\t\n\r]]/gv;

const isBlank = (value: unknown): boolean => (value ?? '') === '' || (typeof value === 'string' && !value.trim());

const mapped = (value: unknown, map: (text: string, name: string) => unknown, name = ''): unknown => {
  if (typeof value === 'string') return map(value, name);
  if (Array.isArray(value)) return value.map((item) => mapped(item, map, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, mapped(each, map, field)]));
};

/** A text that follows the contract's prose: it has an existing currency, no forbidden character, and more than blanks. */
const withProse = (text: string, name: string): string => {
  if (name === 'currency') return 'EUR';
  const allowed = text.replaceAll(FORBIDDEN, 'x');
  return allowed !== '' && isBlank(allowed) ? 'x' : allowed;
};

/** A new branch whose master merchant is not blank, if it is sent. */
const withMasterMerchant = (body: { existing_master_merchant?: string; master_merchant_id?: string }) => {
  const { existing_master_merchant: uuid, master_merchant_id: id } = body;
  if (!isBlank(uuid) || !isBlank(id)) return body;
  if (id !== undefined) return { ...body, master_merchant_id: 'M1' };
  return uuid === undefined ? body : { ...body, existing_master_merchant: randomUUID() };
};

/** Fields that accept any text, because one that has another form is not found. */
const ANY_TEXT = /^(?:find .*|\w+History before|reassignTerminal body)$/;

/** The body and the query parameters of an operation: by name, what the contract says and what is exact. */
const partsOf = (operation: Operation): [name: string, published: Schema, exact: Schema][] => {
  const { body, query = [] } = EXACT.get(operation) ?? {};
  const published = DESCRIBED.get(operation)?.requestBody?.content['application/json'].schema;
  return [
    ...query.map(({ name, schema }): [string, Schema, Schema] => {
      const described = parametersOf(operation).find((each) => each.name === name);
      return [`${operation} ${name}`, described?.schema ?? {}, schema];
    }),
    ...(body ? [[`${operation} body`, published ?? {}, body] as [string, Schema, Schema]] : []),
  ];
};

describe.each(OPERATIONS.flatMap(partsOf))('%s', (name, published, exact) => {
  test('the contract allows only what the service allows, except for its prose', () => {
    const property = fc.property(allowedBy(published, {}), (value) => {
      const followed = mapped(value, withProse);
      const sent = name === 'createBranch body' ? withMasterMerchant(followed as object) : followed;
      expect({ sent, isAllowed: allows(exact, sent) }).toEqual({ sent, isAllowed: true });
    });
    fc.assert(property, SAMPLES);
  });

  if (!ANY_TEXT.test(name))
    test('the contract allows everything that the service allows, without white space around texts', () => {
      const property = fc.property(allowedBy(exact, {}), (value) => {
        const sent = mapped(value, (text) => text.trim() || null);
        // A blank parameter is like an absent one.
        fc.pre(sent !== null);
        expect({ sent, isAllowed: allows(published, sent) }).toEqual({ sent, isAllowed: true });
      });
      fc.assert(property, SAMPLES);
    });
});
