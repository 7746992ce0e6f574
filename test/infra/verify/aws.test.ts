import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../infra/local/serve.ts';
import type { Template } from '../../../infra/template/template.ts';
import { ACTIONS, cloudWatch, logGroups, outputsOf } from '../../../infra/verify/aws.ts';
import { alarmNamesOf, watchCases } from '../../../infra/verify/cases/watch.ts';
import { Failure } from '../../../infra/verify/failure.ts';
import type { World } from '../../../infra/verify/world.ts';
import { ISSUER, templateOf } from '../../packaged/packaging.ts';

/*
 * What verify reads of AWS, from servers that respond as AWS does.
 */

const SERVICES = ['CLOUDFORMATION', 'CLOUDWATCH', 'CLOUDWATCH_LOGS', 'DYNAMODB', 'STS'];
const before = Object.fromEntries(SERVICES.map((each) => [each, process.env[`AWS_ENDPOINT_URL_${each}`]]));
let server: Served | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
  for (const [each, value] of Object.entries(before))
    if (value === undefined) delete process.env[`AWS_ENDPOINT_URL_${each}`];
    else process.env[`AWS_ENDPOINT_URL_${each}`] = value;
});

/** A request as AWS gets it: the action, its input, and the id of the access key. */
interface Asked {
  action: string;
  // biome-ignore lint/suspicious/noExplicitAny: each action has its own
  input: any;
  accessKey: string;
}

/** The actions that were called. */
const called = new Set<string>();

/** Responds for all services: with an object as JSON, or with a text as it is. */
async function respond(answer: (asked: Asked) => Promise<object | string> | object | string): Promise<void> {
  await server?.stop();
  server = await serve(async (request, response) => {
    const sent = await text(request);
    const target = request.headers['x-amz-target'];
    const form = new URLSearchParams(sent);
    const asked = {
      action: target ? (String(target).split('.')[1] as string) : (form.get('Action') as string),
      input: target ? JSON.parse(sent) : Object.fromEntries(form),
      accessKey: accessKeyOf(request),
    };
    called.add(asked.action);
    const result = await answer(asked);
    const isText = typeof result === 'string';
    const status = isText || !('__type' in result) ? 200 : 400;
    response.writeHead(status, { 'content-type': isText ? 'text/xml' : 'application/x-amz-json-1.0' });
    response.end(isText ? result : JSON.stringify(result));
  });
  for (const each of SERVICES) process.env[`AWS_ENDPOINT_URL_${each}`] = server.url;
}

const accessKeyOf = ({ headers }: IncomingMessage): string =>
  /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

test('reads the base URL of a stage from its stack', async () => {
  await respond(
    () =>
      '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>s</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs><member><OutputKey>BaseUrl</OutputKey><OutputValue>https://api.example.com</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
  );
  expect(await outputsOf('dev')).toEqual({ BaseUrl: 'https://api.example.com' });
});

test('reads the log of a function page by page', async () => {
  const asked: object[] = [];
  await respond(({ input }) => {
    asked.push(input);
    const line = JSON.stringify({ level: 'INFO', request_id: input.nextToken ? 'b' : 'a' });
    return { events: [{ message: `${line}\n` }], ...(!input.nextToken && { nextToken: 'next' }) };
  });
  const lines = await logGroups('dev').linesOf('getBranch', ['a'], 1000, () => true);
  expect(lines.map(({ request_id }) => request_id)).toEqual(['a', 'b']);
  expect(asked[0]).toEqual({
    logGroupName: '/aws/lambda/acquirer-partner-api-dev-getBranch',
    startTime: 1000,
    filterPattern: '{ $.level = "ERROR" || $.request_id = "a" || $.requestId = "a" }',
  });
});

/** CloudWatch, with the alarms of a template. Of some metrics, no value arrives. */
async function cloudWatchOf(
  { Resources }: Template,
  change: (alarm: object) => object = (alarm) => alarm,
): Promise<void> {
  const alarms = Object.values(Resources)
    .filter(({ Type }) => /^AWS::CloudWatch::(Composite)?Alarm$/.test(Type))
    .map(({ Type, Properties }) => ({ Type, ...(plain(Properties) as { AlarmName: string }) }));
  const described = (type: string) =>
    alarms
      .filter(({ Type, AlarmName }) => Type === type && !lost.has(AlarmName))
      .map((alarm) =>
        change({ ActionsEnabled: true, StateValue: 'OK', StateUpdatedTimestamp: 1_700_000_000, ...alarm }),
      );
  await respond(({ action, input }) =>
    action === 'DescribeAlarms'
      ? {
          MetricAlarms: described('AWS::CloudWatch::Alarm'),
          CompositeAlarms: described('AWS::CloudWatch::CompositeAlarm'),
        }
      : {
          MetricDataResults: input.MetricDataQueries.map(
            ({ Id, MetricStat }: { Id: string; MetricStat: { Metric: { MetricName: string } } }) => ({
              Id,
              Values: lost.has(MetricStat.Metric.MetricName) ? [] : [1],
            }),
          ),
        },
  );
}
/** The alarms that do not exist, and the metrics that do not arrive, by name. */
const lost = new Set<string>();

/** Properties with a text in place of each reference. */
const plain = (value: unknown): object =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      each?.Ref ? each.Ref : each?.['Fn::GetAtt'] ? each['Fn::GetAtt'].join('.') : each,
    ),
  );

/** The failures of the cases about alarms and metrics. */
async function failuresIn(stage: string): Promise<string[]> {
  const cases = watchCases(cloudWatch(stage), await alarmNamesOf(stage, true), Date.now(), 0);
  const failures = cases.map(({ run }) =>
    run(undefined as unknown as World).then(
      () => [],
      (error) => (error instanceof Failure ? [error.message] : Promise.reject(error)),
    ),
  );
  return (await Promise.all(failures)).flat();
}

test('whichever alarm a stage lacks is found and named', async () => {
  const template = await templateOf('prod', ISSUER);
  await cloudWatchOf(template);
  expect(await failuresIn('prod')).toEqual([]);
  const names = Object.values(template.Resources)
    .filter(({ Type }) => /^AWS::CloudWatch::(Composite)?Alarm$/.test(Type))
    .map(({ Properties }) => Properties.AlarmName as string);
  expect((await alarmNamesOf('prod', true)).sort()).toEqual(names.sort());
  for (const name of names) {
    lost.add(name);
    expect(await failuresIn('prod')).toEqual([`the alarm ${name} does not exist`]);
    lost.clear();
  }
});

test('an alarm that notifies nobody or never has a state, and a metric that does not arrive, are named', async () => {
  const template = await templateOf('prod', ISSUER);
  const name = 'acquirer-partner-api-prod-server-errors';
  const only = (change: object) => (alarm: object) =>
    (alarm as { AlarmName: string }).AlarmName === name ? { ...alarm, ...change } : alarm;
  await cloudWatchOf(template, only({ ActionsEnabled: false }));
  expect(await failuresIn('prod')).toEqual([`the alarm ${name} notifies nobody: its actions are disabled`]);
  await cloudWatchOf(template, only({ StateValue: 'INSUFFICIENT_DATA' }));
  expect(await failuresIn('prod')).toEqual([`the alarm ${name} has had no data for 15 minutes`]);
  await cloudWatchOf(template);
  lost.add('rate_limited');
  expect(await failuresIn('prod')).toEqual(['no value of acquirer-partner-api-prod rate_limited within 5 minutes']);
  lost.clear();
});

test('calls no other actions than it says', () => {
  const said = Object.values(ACTIONS).flatMap((actions) => actions.map((action) => action.split(':')[1] as string));
  expect([...called].sort()).toEqual(said.filter((action) => action !== 'AssumeRole').sort());
});
