import { beforeAll, describe, expect, test } from '@jest/globals';
import { inspect } from '../../../../infra/operate/cli/audit/inspect.ts';
import { moduleOf } from '../../../../infra/publish/contract/invoke.ts';
import { bodyOf, queryOf } from '../../../../infra/publish/contract/requests.ts';
import type { Schema } from '../../../../infra/publish/contract/schemas.ts';
import { call, OPERATIONS, type Operation, type Request } from '../../../support/api.ts';
import { newRequests, SHOWN_AS } from '../../../support/requests.ts';
import { stored } from '../../../support/stored.ts';

/*
 * Many suites send the requests of infra/publish/contract/calls.ts and change one place of them. A field that these
 * requests lack is tested by none of these suites, and a field that no response shows is lost to the partner who sent
 * it.
 */

/** Fields and parameters that a request cannot have together with its others. */
const EXCLUSIVE: Partial<Record<Operation, string[]>> = {
  // The alternative to `master_merchant_id`.
  createBranch: ['existing_master_merchant'],
  find: ['tid', 'terminal_id', 'mid', 'master_merchant_id', 'payment_provider'],
  // Only for distributors.
  lookup: ['payment_provider'],
  // A cursor is valid for one branch or terminal only.
  getBranchHistory: ['before'],
  getTerminalHistory: ['before'],
};

/** Parameters of every change, which have tests of their own. */
const OF_CHANGES = ['validate_only', 'reason'];

/** The names of all fields of a body's schema, lists included. */
const fieldsOf = ({ properties = {}, items }: Schema): string[] => [
  ...Object.entries(properties).flatMap(([name, each]) => (each.items ? fieldsOf(each) : [name])),
  ...(items ? fieldsOf(items) : []),
];

type Field = [name: string, value: unknown];
/** The fields of a JSON value at any depth, without objects and lists. */
const fieldsIn = (value: unknown): Field[] =>
  Object.entries(value ?? {}).flatMap(([name, each]) =>
    typeof each === 'object' && each !== null ? fieldsIn(each) : [[name, each] as Field],
  );

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

test.each(OPERATIONS)('the valid request of %s has every field and parameter, and succeeds', async (operation) => {
  const { body, query } = (await moduleOf(operation)).handler.schemas;
  const request = await requestOf(operation);
  const known = [...(body ? fieldsOf(bodyOf(body)) : []), ...(query ? queryOf(query).map(({ name }) => name) : [])];
  const present = [...fieldsIn(request.body), ...fieldsIn(request.query)].map(([name]) => name);
  const left = [...present, ...(EXCLUSIVE[operation] ?? []), ...OF_CHANGES];
  const missing = known.filter((name) => !left.includes(name));
  expect(missing.map((name) => `${name}: add it to infra/publish/contract/calls.ts`)).toEqual([]);
  const response = await call(operation, request);
  expect(response.body).toMatchObject({ data: expect.anything() });
  expect(response.body.warnings).toBeUndefined();
});

describe('a field that a partner sends', () => {
  /** Everything that responses show of the resources of a request. */
  async function shownAfter(operation: Operation, { key, ...request }: Request): Promise<Field[]> {
    const { data } = (await call(operation, { key, ...request })).body;
    const { existing_master_merchant, master_merchant_id, payment_provider } = data;
    const query = { master_merchant_id, payment_provider };
    return fieldsIn([data, existing_master_merchant && (await call('find', { key, query })).body.data]);
  }

  test.each(['createBranch', 'updateBranch', 'createTerminals', 'updateTerminal', 'archiveTerminal'] as const)(
    'is shown as it was sent: %s',
    async (operation) => {
      const request = await requestOf(operation);
      const shown = await shownAfter(operation, request);
      const lost = fieldsIn(request.body).filter(
        ([name, value]) => !shown.some((field) => field[0] === (SHOWN_AS[name] ?? name) && field[1] === value),
      );
      expect(lost).toEqual([]);
    },
  );

  test('is stored in an attribute that the schema of its item has', async () => {
    const items = Object.entries(await stored()).map(([key, item]) => {
      const [, pk = '', sk = ''] = /^(\S+) (.*)$/s.exec(key) ?? [];
      return inspect({ pk, sk, ...item });
    });
    const kinds = items.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['branch', 'terminal', 'master_merchant']));
    expect(
      items.flatMap(({ kind, others }) => others.map((name) => `${name}: add it to the schema of ${kind}`)),
    ).toEqual([]);
  });
});
