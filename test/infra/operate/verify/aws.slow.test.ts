import { randomUUID } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { serve } from '../../../../infra/local/serve.ts';
import {
  baseUrlOf,
  checkAlarms,
  checkRecord,
  checkSelfCheck,
  logGroups,
} from '../../../../infra/operate/verify/aws.ts';
import { verify } from '../../../../infra/operate/verify/checks.ts';
import { expectDelivery } from '../../../../infra/operate/verify/deliveries.ts';
import { checkNoSite } from '../../../../infra/operate/verify/pages.ts';
import type { ApiResponse } from '../../../../infra/publish/contract/invoke.ts';
import type { Send } from '../../../../infra/publish/contract/send.ts';
import { Problem } from '../../../../lib/base/problem.ts';

/*
 * What verify reads of AWS, from clients that respond as AWS does.
 */

const STAGE = 'acquirer-partner-api-dev';
const NOW = { ms: 0, pause: 0 };

/** A stage that lacks nothing. */
const sound = () => ({
  baseUrl: 'https://api.example.com',
  alarms: [alarm('server-errors'), alarm('flood')],
  logs: { [`/${STAGE}/record`]: ['a change'], [SELF_CHECK]: [selfChecked(2000)] } as Record<string, string[]>,
});
const SELF_CHECK = `/aws/lambda/${STAGE}-selfCheck`;
/** The log line of a self-check that began at a time. */
const selfChecked = (at: number, failure: string | null = null, isEnabled = true) =>
  JSON.stringify({
    timestamp: new Date(at).toISOString(),
    self_check_is_enabled: Number(isEnabled),
    self_check_failures: Number(failure !== null),
    checks: isEnabled ? [{ check: 'an unknown key is refused', failure }] : [],
  });
const alarm = (name: string, more: object = {}) => ({
  AlarmName: `${STAGE}-${name}`,
  ActionsEnabled: true,
  AlarmActions: ['arn:aws:sns:eu-central-1:123456789012:page'],
  StateValue: 'OK',
  StateUpdatedTimestamp: new Date('2026-01-01'),
  ...more,
});

let stage: ReturnType<typeof sound>;

/** The responses of each action to its input. */
// biome-ignore lint/suspicious/noExplicitAny: each action has its own
const ANSWERS: Record<string, (input: any) => object> = {
  DescribeStacks: () => ({ Stacks: [{ Outputs: [{ OutputKey: 'BaseUrl', OutputValue: stage.baseUrl }] }] }),
  DescribeAlarms: () => ({ MetricAlarms: stage.alarms }),
  FilterLogEvents({ logGroupName, nextToken = '0' }) {
    const [message, next] = (stage.logs[logGroupName] ?? []).slice(Number(nextToken));
    return {
      events: message && [{ message: `${message}\n` }],
      nextToken: next && String(Number(nextToken) + 1),
    };
  },
};

/** What the clients have in common. */
interface Client {
  send: (command: { input: object }) => Promise<object | undefined>;
}

beforeEach(() => {
  stage = sound();
  for (const { prototype } of [CloudFormationClient, CloudWatchClient, CloudWatchLogsClient])
    jest
      .spyOn(prototype as unknown as Client, 'send')
      .mockImplementation(async (command) => ANSWERS[command.constructor.name.replace('Command', '')]?.(command.input));
});
afterEach(() => {
  jest.restoreAllMocks();
});

const check = {
  record: () => checkRecord('dev', 'change', 0, NOW),
  alarms: () => checkAlarms('dev'),
  selfCheck: () => checkSelfCheck('dev', 1000, NOW),
};

test('a stage that lacks nothing passes', async () => {
  expect(await baseUrlOf('dev')).toBe('https://api.example.com');
  for (const each of Object.values(check)) await each();
});

const FAULTS: [what: string, by: keyof typeof check, fault: Partial<typeof stage>, failure: RegExp][] = [
  [
    'a function that cannot be loaded instead of the copy of the record',
    'record',
    { logs: { [`/aws/lambda/${STAGE}-keepRecord`]: ['ERROR Runtime.ImportModuleError', 'ERROR again'] } },
    /keepRecord has not copied a change .* to \/acquirer-partner-api-dev\/record .*: ERROR Runtime.ImportModuleError$/,
  ],
  [
    'a copy of the record that reads another stream',
    'record',
    { logs: {} },
    /its event source mapping is disabled or does not read the stream of test-/,
  ],
  ['no alarms', 'alarms', { alarms: [] }, /the stage dev has no alarms/],
  [
    'an alarm whose actions are disabled',
    'alarms',
    { alarms: [alarm('server-errors', { ActionsEnabled: false })] },
    /notifies nobody/,
  ],
  [
    'an alarm without data',
    'alarms',
    { alarms: [alarm('server-errors', { StateValue: 'INSUFFICIENT_DATA' })] },
    /no data for 15 minutes/,
  ],
  [
    'a self-check that failed',
    'selfCheck',
    { logs: { [SELF_CHECK]: [selfChecked(2000, 'got 200')] } },
    /^an unknown key is refused: got 200$/,
  ],
  [
    'a self-check that began before what is verified was deployed',
    'selfCheck',
    { logs: { [SELF_CHECK]: [selfChecked(999)] } },
    /^no self-check began and ended within 0 s/,
  ],
  [
    'a self-check that is not enabled',
    'selfCheck',
    { logs: { [SELF_CHECK]: [selfChecked(2000, null, false)] } },
    /not enabled: npm run operator -- --stage dev self-check enable$/,
  ],
];

test.each(FAULTS)('finds %s, and names it', async (_, by, fault, failure) => {
  Object.assign(stage, fault);
  await expect(check[by]()).rejects.toThrow(failure);
});

test.each([
  ['passes if an event was attempted', [{ events: 0 }, { events: 2 }], undefined],
  [
    'finds that none was',
    [{ events: 0 }],
    /no event was delivered to a webhook within 0 s: see the logs of wakeWebhooks/,
  ],
])('of a webhook, %s, and deletes it', async (_, data, failure) => {
  const sent: string[] = [];
  const send = async (operation: string) => {
    sent.push(operation);
    const [status, body] = operation === 'createWebhook' ? [201, { data: { id: '1' } }] : [200, { data }];
    return { status, headers: {}, body } as ApiResponse;
  };
  const outcome = (await expectDelivery(send as Send, { key: 'key' }, NOW))();
  await (failure ? expect(outcome).rejects.toThrow(failure) : outcome);
  expect([sent[0], sent.at(-1)]).toEqual(['createWebhook', 'deleteWebhook']);
});

test('reads the log of a function page by page', async () => {
  stage.logs[`/aws/lambda/${STAGE}-getBranch`] = [
    '{"level":"ERROR","request_id":"a"}',
    'no JSON',
    '{"request_id":"b"}',
  ];
  const lines = await logGroups('dev', NOW).linesOf('getBranch', 'b', 1000);
  expect(lines.map(({ request_id }) => request_id)).toEqual(['a', 'b']);
});

test('the pipeline verifies a stage with protected data without a request to its table', async () => {
  const requestId = randomUUID();
  const refusal = new Problem('invalid_api_key', 'No.').toDocument(requestId, 'https://api.example.com/docs/errors');
  const api = await serve(({ url }, response) => {
    if (url === '/docs/errors/not_found') return response.end('not_found (HTTP 404): Not found.');
    response.setHeader('x-request-id', requestId).setHeader('cache-control', 'no-store');
    response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(refusal));
    return response;
  });
  const name = 'acquirer-partner-api-prod';
  stage = {
    ...stage,
    baseUrl: api.url,
    logs: { [`/aws/lambda/${name}-selfCheck`]: [selfChecked(Date.now() + 60_000)] },
  };
  const sent = jest.spyOn(DynamoDBClient.prototype, 'send');
  const observer = { onBegin: () => {}, onOutcome: () => {} };
  const outcomes = await verify({ stage: 'prod' }, { pipeline: true }, observer).finally(api.stop);
  expect(outcomes.map(({ outcome, name }) => `${outcome}: ${name}`)).toEqual([
    'passed: the self-check passes',
    'passed: the base URL serves no page of the docs site',
    'passed: every alarm notifies, and has a state',
    'passed: the logs have the requests of this run, and no error of them',
  ]);
  expect(sent).not.toHaveBeenCalled();
});

describe('the base URL', () => {
  const REFUSED = '{"code":"invalid_api_key"}';
  /** What a server responds to each path, by default as an API without a docs site does. */
  const checked = async (responses: Record<string, [status: number, location: string, body: string]>) => {
    const api = await serve((request, response) => {
      const [status, location, body] = responses[request.url ?? ''] ?? [401, '', REFUSED];
      response.writeHead(status, { ...(location && { location }) }).end(body);
    });
    await checkNoSite({ baseUrl: api.url }).finally(api.stop);
  };
  const PAGE = '<!doctype html><title>Guides</title><script type="module" src="/assets/app.js"></script>';
  const TYPE = '/docs/errors/not_found';
  const ELSEWHERE = 'https://docs.example.com/docs/errors/not_found/';

  test.each<[what: string, ...Parameters<typeof checked>]>([
    ['redirects the type of a problem to a host of its own', { [TYPE]: [308, ELSEWHERE, ''] }],
    ['has no docs site, but the title of a problem', { [TYPE]: [200, '', 'not_found (HTTP 404): Not found.'] }],
    ['leads to the console from its root', { '/': [302, '/console', ''], [TYPE]: [308, ELSEWHERE, ''] }],
  ])('passes if it %s', async (_, responses) => checked(responses));

  test.each<[what: string, failure: string, ...Parameters<typeof checked>]>([
    ['the first page of the site', 'people of the console: /.', { '/': [200, '', PAGE] }],
    [
      'a guide and the reference',
      ': /docs/quickstart/, /reference/.',
      { '/docs/quickstart/': [200, '', PAGE], '/reference/': [200, '', PAGE] },
    ],
    ['its page for unknown paths', ': /docs/no-such-page/.', { '/docs/no-such-page/': [404, '', PAGE] }],
    ['nothing as the type of a problem', 'leads nowhere: /docs/errors/not_found responds with 401', {}],
    ['a redirect to itself', 'leads nowhere', { [TYPE]: [308, `${TYPE}/`, ''] }],
  ])('fails if it serves %s', async (_, failure, responses) => {
    await expect(checked(responses)).rejects.toThrow(failure);
  });
});
