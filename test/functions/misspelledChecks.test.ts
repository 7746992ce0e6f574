import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ConsoleOperation, consoleRequestOf } from '../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS } from '../../infra/publish/contract/invoke.ts';
import { routeKey } from '../../infra/stack/template/definitions.ts';
import { type ApiResponse, call, eventOf, invoke, OPERATIONS, type Operation, type Request } from '../support/api.ts';
import { MISPLACED_CHECK, unknownField, unknownParameter } from '../support/constants.ts';
import type { AnyOperation } from '../support/invoke.ts';
import { expectRefused } from '../support/outcomes.ts';
import { personOf } from '../support/people.ts';
import { newRequests } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';

/* A check that is misspelled, or sent in another place, must not make the change. */

const changes = <Name extends AnyOperation>(operations: readonly Name[]): Name[] =>
  operations.filter((operation) => !routeKey(operation).startsWith('GET'));

/** A request of each operation that would succeed, once. */
const requests = new Map<AnyOperation, Request>();
beforeAll(async () => {
  const { world, requestOf } = await newRequests();
  for (const operation of OPERATIONS) requests.set(operation, await requestOf(operation));
  const { session, id } = await personOf(world.provider.id, 'admin');
  const { id: person } = await personOf(world.provider.id, 'viewer');
  const subject = { key_id: '000000000000', person, invitation: id, email: 'maria@example.com' };
  for (const operation of CONSOLE_OPERATIONS) {
    const isOwn = ['getSession', 'signOut'].includes(operation);
    const request = consoleRequestOf(operation as ConsoleOperation, subject);
    requests.set(operation, { ...request, session: isOwn ? { ...session, actingAs: 'none' } : session });
  }
});

/** Checks as people misspell them in a query, and what others than the caller could add. */
const IN_QUERIES = ['validateOnly', 'validate-only', 'Validate_Only', 'dry_run', 'dryRun', '_', 'utm_source'];
const IN_BODIES = [
  ...['validate_only', 'validateOnly', 'ValidateOnly', 'validate-only'],
  ...['dry_run', 'dryRun', 'DRY RUN', 'ｄｒｙ＿ｒｕｎ'],
];

const CHANGES: AnyOperation[] = [...changes(OPERATIONS), ...changes(CONSOLE_OPERATIONS)];

/** The query parameters of a change, as its problem lists them. */
function takes(operation: AnyOperation): string {
  if (operation === 'signOut') return 'only everywhere';
  const isValidated = (OPERATIONS as AnyOperation[]).includes(operation) && operation !== 'memberCheck';
  return isValidated ? 'only validate_only, reason' : 'no query parameters';
}

test('these are all changes of partners and people', () => {
  expect(CHANGES).toHaveLength(26);
});

describe.each(CHANGES)('%s', (operation) => {
  const requestWith = (more: Request): Request => {
    const { query, body, ...request } = requests.get(operation) as Request;
    return { ...request, query: { ...query, ...more.query }, body: more.body ?? body };
  };

  /** Sends requests one after another. Asserts that together they change nothing. Returns the problems. */
  async function refused(sent: Request[]) {
    const { response: problems, changed } = await storedBy(async () => {
      const bodies: ApiResponse['body'][] = [];
      for (const each of sent) bodies.push((await call(operation, requestWith(each))).body);
      return bodies;
    });
    expect(changed).toEqual({});
    return problems;
  }

  test(
    'with a misspelled check in its query is 400, says which parameters there are, and changes ' + 'nothing',
    async () => {
      const problems = await refused(IN_QUERIES.map((name) => ({ query: { [name]: 'true' } })));
      expect(problems.map(({ status, code, detail }) => [status, code, detail])).toEqual(
        IN_QUERIES.map((name) => [
          400,
          'invalid_query',
          `Unknown query parameters: ${name}. This operation takes ${takes(operation)}.`,
        ]),
      );
    },
  );

  test('with a check in its body is 422 at that field, whatever its value, and changes nothing', async () => {
    const { body } = requests.get(operation) as Request;
    const places = IN_BODIES.flatMap((name) => [true, 'true', false, null].map((value) => [name, value] as const));
    const problems = await refused(places.map(([name, value]) => ({ body: { ...(body as object), [name]: value } })));
    expect(problems.map(({ status, errors }) => [status, errors])).toEqual(
      places.map(([name]) => [422, [{ pointer: `/${name}`, code: 'unknown_field', detail: MISPLACED_CHECK }]]),
    );
  });
});

describe('a change', () => {
  const branch = (body: object): Request => {
    const request = requests.get('createBranch') as Request;
    return { ...request, body: { ...(request.body as object), ...body } };
  };

  test('names neither secrets nor more than five unknown parameters', async () => {
    const query = {
      a: '1',
      b: '1',
      '4111 1111 1111 1111': '1',
      '٤١١١١١١١١١١١١١١١': '1',
      ['x'.repeat(41)]: '1',
      c: '1',
      d: '1',
      e: '1',
      f: '1',
    };
    const detail =
      'Unknown query parameters: a, b, c, d, e, 4 whose names are not shown. This operation takes only ' +
      'validate_only, reason.';
    await expectRefused(() => call('createBranch', { ...branch({}), query }), 'invalid_query', detail);
  });

  test('lists unknown parameters beside invalid ones', async () => {
    const query = { validate_only: 'yes', dry_run: '1' };
    const detail =
      'validate_only: Must be true or false. Unknown query parameters: dry_run. This operation takes only ' +
      'validate_only, reason.';
    await expectRefused(() => call('createBranch', { ...branch({}), query }), 'invalid_query', detail);
  });

  test('has the field in a terminal refused there, beside all other field errors', async () => {
    const terminals = [{ terminal_id: 'A1' }, { terminal_id: 'A-2', dry_run: true }];
    await expectRefused(() => call('createBranch', branch({ terminals, city: 5 })), 'validation_failed', [
      ['/city', 'invalid_type', 'Must be a string.'],
      ['/terminals/1/terminal_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminals/1/dry_run', 'unknown_field', MISPLACED_CHECK],
    ]);
  });

  test('has few and short errors, however many such fields a body has', async () => {
    const long = `dry${'_'.repeat(40)}run`;
    const list = Array.from({ length: 2_000 }, () => ({ [long]: 1, dry_run: 1 }));
    const errorsOf = async (body: object) =>
      (await call('createBranch', branch(body))).body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(await errorsOf({ 'a list of 4111 1111 1111 1111': list, [long]: true })).toEqual(['']);
    expect(await errorsOf({ list })).toEqual(Array.from({ length: 41 }, (_, at) => `/list/${at}`));
  });

  test('still takes other unknown fields, with a warning', async () => {
    const fields = { validated: true, only_validate: true, running_dry: true, validate: true, run: 'dry' };
    const { status, body } = await call('createBranch', { ...branch(fields), query: { validate_only: 'true' } });
    expect([status, body.warnings]).toEqual([200, Object.keys(fields).map((name) => unknownField(`/${name}`))]);
  });

  test('is refused for any spelling of a check, in the query and in the body', async () => {
    const separator = fc.constantFrom('', '_', '-', '.', ' ', '1', '\u00a0');
    const letter = (text: string) => fc.constantFrom(text, text.toUpperCase(), text.normalize('NFKC'));
    const spelled = fc
      .tuple(fc.constantFrom(['validate', 'only'], ['dry', 'run']), separator, separator)
      .chain(([[first = '', second = ''], between, around]) =>
        fc.tuple(...[...first, between, ...second, around].map(letter)).map((parts) => parts.join('')),
      )
      .filter((name) => name !== 'validate_only');
    await fc.assert(
      fc.asyncProperty(spelled, async (name) => {
        const inQuery = await call('createBranch', { ...branch({}), query: { [name]: 'true' } });
        const inBody = await call('createBranch', branch({ [name]: true }));
        expect([inQuery.body.code, inBody.body.code]).toEqual(['invalid_query', 'validation_failed']);
      }),
      { numRuns: 50 },
    );
  });
});

test.each(OPERATIONS.filter((operation) => routeKey(operation).startsWith('GET')))(
  '%s only reads, so it ignores such a parameter with a warning',
  async (operation: Operation) => {
    const request = requests.get(operation) as Request;
    const { status, body } = await call(operation, { ...request, query: { ...request.query, validateOnly: 'true' } });
    expect([status, body.warnings]).toEqual([200, [unknownParameter('validateOnly')]]);
  },
);

test('an unknown route stays one, whatever its query', async () => {
  const { key } = requests.get('createBranch') as Request;
  const event = { ...eventOf('unknownRoute', { key, query: { dry_run: '1' } }), routeKey: '$default' };
  expect((await invoke('unknownRoute', event)).body.code).toBe('not_found');
});
