import { readFileSync, rmSync } from 'node:fs';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { STORY } from '../../../../infra/publish/contract/calls.ts';
import { CONSOLE_STORY } from '../../../../infra/publish/contract/consoleCalls.ts';
import { GENERATED, refresh, STAMP, stampOf } from '../../../../infra/publish/contract/generated.ts';
import { CONSOLE_OPERATIONS } from '../../../../infra/publish/contract/invoke.ts';
import { openapi } from '../../../../infra/publish/contract/openapi.ts';
import { PARTNERS } from '../../../../infra/publish/contract/partners.ts';
import type { Example } from '../../../../infra/publish/contract/record.ts';
import { routeKey } from '../../../../infra/stack/template/definitions.ts';
import { UUID } from '../../../../lib/base/mid.ts';
import { namedInPath } from '../../../../lib/base/namedInPath.ts';
import type { FieldError } from '../../../../lib/base/problem.ts';
import { OPERATIONS } from '../../../support/api.ts';
import { setClock } from '../../../support/clock.ts';
import { contractViolations } from '../../../support/contract.ts';
import { stored } from '../../../support/stored.ts';

// Functions read their settings when they are imported, and responses hold URLs.
process.env['BASE_URL'] = 'https://api.acquirer.example';
const { record } = await import('../../../../infra/publish/contract/record.ts');

let examples: Example[];
beforeAll(async () => {
  examples = await record(setClock);
  jest.useRealTimers();
});

test('the story gives docs/openapi.json, which allows its responses; if not, run npm run contract', async () => {
  for (const { operation, name, status, body } of examples) {
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    const response = { status, headers: { 'content-type': type }, body };
    expect([operation, name, contractViolations(operation, response)]).toEqual([operation, name, []]);
  }
  const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(await openapi(PARTNERS, examples))));
});

/** Whether the path of a refused request names what its caller can access, and nobody has deleted. */
const isAccessible = ({ code, body, request: { path } }: Example, before: Example[]): boolean =>
  (!['not_found', 'not_under_requesting_psp'].includes(code as string) || /target MID/.test(body.detail)) &&
  !before.some((each) => /^delete/.test(each.operation) && !each.code && each.request.path?.['id'] === path?.['id']);

test('each refusal of a known caller in the story is kept, with its pointers and what its path names', async () => {
  const items = Object.values(await stored());
  const refusals = examples.filter(({ code }) => code && !['invalid_api_key', 'server_error'].includes(code));
  for (const refusal of refusals) {
    const { operation, request, status, code, body } = refusal;
    const kind = namedInPath(routeKey(operation));
    const [id] = Object.values(request.path ?? {});
    const isNamed =
      kind && isAccessible(refusal, examples.slice(0, examples.indexOf(refusal))) && code !== 'rate_limited';
    const { refused_request_id, at, key_id, key_label, duration_ms, weight, times, ttl, ...kept } =
      items.find((item) => item['refused_request_id'] === body.request_id) ?? {};
    expect([body.request_id, kept]).toEqual([
      refused_request_id,
      {
        operation,
        status,
        code,
        errors: (body.errors ?? []).map(({ pointer, code }: FieldError) => ({ pointer, code })),
        ...(request.query?.['validate_only'] === 'true' && { validate_only: true }),
        ...(isNamed && { [kind]: kind === 'webhook' ? expect.stringMatching(UUID) : id }),
      },
    ]);
  }
});

test('each operation succeeds in a story', () => {
  const succeeding = [...STORY, ...CONSOLE_STORY].filter(({ code }) => !code).map(({ operation }) => operation);
  expect([...OPERATIONS, ...CONSOLE_OPERATIONS].filter((operation) => !succeeding.includes(operation))).toEqual([]);
});

test('generated files are made again when they are stale', () => {
  const read = () => Object.values(GENERATED).map((file) => readFileSync(file, 'utf8'));
  const before = read();
  rmSync(STAMP);
  refresh();
  expect(readFileSync(STAMP, 'utf8')).toBe(stampOf());
  expect(read()).toEqual(before);
});

test('a response violates the contract by a field that is missing, malformed or not described', () => {
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { data: { tid: 'x', more: 1 } },
  };
  expect(contractViolations('deleteTerminal', response)).toEqual([
    "/data must have required property 'terminal_id'",
    '/data/more is not in docs/openapi.json: run "npm run contract"',
    '/data/tid must match format "uuid"',
  ]);
});
