import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { baseUrlOf, checkAlarms, checkRecord, logGroups } from '../../../../infra/operate/verify/aws.ts';

/*
 * What verify reads of AWS, from clients that respond as AWS does.
 */

const STAGE = 'acquirer-partner-api-dev';
const NOW = { ms: 0, pause: 0 };

/** A stage that lacks nothing. */
const sound = () => ({
  alarms: [alarm('server-errors'), alarm('flood')],
  logs: { [`/${STAGE}/record`]: ['a change'] } as Record<string, string[]>,
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
  DescribeStacks: () => ({ Stacks: [{ Outputs: [{ OutputKey: 'BaseUrl', OutputValue: 'https://api.example.com' }] }] }),
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
];

test.each(FAULTS)('finds %s, and names it', async (_, by, fault, failure) => {
  Object.assign(stage, fault);
  await expect(check[by]()).rejects.toThrow(failure);
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
