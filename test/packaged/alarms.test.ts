import { beforeAll, describe, expect, test } from '@jest/globals';
import { ALARMS_OF_STOPPED_TRAFFIC, availabilityAlarmOf } from '../../infra/template/alarms.ts';
import { SLOS } from '../../infra/template/slos.ts';
import type { Template } from '../../infra/template/template.ts';
import { budgetsLeft, type Fired, fired, Metrics } from './alarmSimulator.ts';
import { templateOf } from './packaging.ts';

/*
 * Simulates prod's alarms over minutes of traffic: what pages, and when. test/packaged/alarmSimulator.ts has the rules and
 * the assumptions. Minutes count from the beginning of a failure: an alarm of minute 1 fires two minutes after it.
 */

let prod: Template;
beforeAll(async () => {
  prod = await templateOf('prod');
});

const HOUR = 60;
const DAY = 24 * HOUR;

/** Random numbers from 0 to 1, the same in every run (xorshift32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** How many of so many requests fail, each with this probability. */
const binomial = (random: () => number, requests: number, share: number): number =>
  Array.from({ length: requests }, random).filter((value) => value < share).length;

/** The metrics of one function, minute by minute. */
function traffic(minutes: number, name: string, at: (minute: number) => Parameters<Metrics['send']>[2]): Metrics {
  const metrics = withSelfCheck(minutes);
  for (let minute = 0; minute < minutes; minute++) metrics.send(minute, name, at(minute));
  return metrics;
}

/** An idle stage, whose self-check passes every minute unless said otherwise. */
function withSelfCheck(minutes: number, hasPassed = (_: number) => true): Metrics {
  const metrics = new Metrics(minutes);
  for (let minute = 0; minute < minutes; minute++)
    metrics.add(minute, 'self_check_failures', [[Number(!hasPassed(minute)), 1]]);
  return metrics;
}

/** The pages, each with the minute after which it was sent. */
const pagesOf = (all: Fired[]): Record<string, number> =>
  Object.fromEntries(all.filter(({ isUrgent }) => isUrgent).map(({ alarm, minute }) => [alarm, minute]));
const pages = (metrics: Metrics, from = 5): Record<string, number> => pagesOf(fired(prod, metrics, { from }));

describe('the alarms page', () => {
  test.each([
    [6000, 1],
    [10, 2],
  ])('within two minutes when API Gateway throttles member checks, %i in the first minute', (first, after) => {
    const metrics = withSelfCheck(20);
    for (let minute = 10; minute < 20; minute++)
      metrics.add(minute, 'member_check_throttles', [[1, minute === 10 ? first : 6000]]);
    expect(pages(metrics)).toEqual({ MemberCheckThrottlesAlarm: 10 + after });
  });

  test.each(['memberCheck', 'createBranch'])('in minutes when all of few requests to %s fail', (name) => {
    const metrics = traffic(20, name, (minute) => ({ requests: 1, failed: minute < 10 ? 0 : 1 }));
    const [alarm = ''] = name === 'memberCheck' ? [availabilityAlarmOf(name)] : ['AvailabilityAlarm'];
    expect(pages(metrics)).toEqual({ [alarm]: 10 + 3 });
  });

  test.each([20, 55])('in hours when a route with a request in %i minutes is down', (every) => {
    const metrics = traffic(12 * HOUR, 'reassignTerminal', (minute) => {
      const requests = Number(minute % every === 0);
      return { requests, failed: minute < 6 * HOUR ? 0 : requests };
    });
    const { SlowBurnAlarm, ...others } = pages(metrics, 5 * HOUR);
    expect(others).toEqual({});
    expect(SlowBurnAlarm).toBeGreaterThan(6 * HOUR);
    expect(SlowBurnAlarm).toBeLessThanOrEqual(6 * HOUR + 3 * HOUR);
  });

  test.each([
    [6000, 3],
    [600, 3],
    [300, 3],
  ])('in minutes when 2 %% of %i requests a minute fail', (requests, after) => {
    const metrics = traffic(30, 'listTerminals', (minute) => ({
      requests,
      failed: minute < 10 ? 0 : requests * 0.02,
    }));
    expect(pages(metrics)).toEqual({ AvailabilityAlarm: 10 + after });
  });

  test('in minutes, and fire the alarm that rolls back, when a canary of 10 % fails', () => {
    for (const name of ['lookup', 'memberCheck']) {
      const metrics = traffic(20, name, (minute) => ({ requests: 100, crashed: minute < 10 ? 0 : 10 }));
      const all = fired(prod, metrics, { from: 5 });
      expect(all).toContainEqual({ alarm: availabilityAlarmOf(name), minute: 13, isUrgent: name === 'memberCheck' });
      expect(Object.keys(pagesOf(all)).sort()).toEqual(
        [name === 'memberCheck' ? 'AvailabilityMemberCheckAlarm' : 'AvailabilityAlarm', 'GatewayErrorsAlarm'].sort(),
      );
    }
  });

  test('in minutes when Lambda has no instance left for member checks', () => {
    const metrics = traffic(20, 'memberCheck', (minute) => ({ requests: 100, throttled: minute < 10 ? 0 : 100 }));
    expect(pages(metrics)).toEqual({ AvailabilityMemberCheckAlarm: 13, GatewayErrorsAlarm: 11 });
  });

  test('in minutes when a slow table makes tills wait, and only notify when it makes others wait', () => {
    const slow = (name: string) =>
      fired(
        prod,
        traffic(20, name, (minute) => ({ requests: 60, slowMs: 2000, slow: minute < 10 ? 0 : 30 })),
        { from: 5 },
      );
    expect(slow('memberCheck')).toEqual([{ alarm: 'LatencyMemberCheckAlarm', minute: 13, isUrgent: true }]);
    expect(slow('listBranches')).toEqual([{ alarm: 'LatencyListBranchesAlarm', minute: 13, isUrgent: false }]);
  });

  test('once for tills and once for all other routes when the table is dead', () => {
    const metrics = withSelfCheck(30, (minute) => minute < 10);
    for (let minute = 0; minute < 30; minute++)
      for (const name of Object.keys(SLOS)) {
        // Member checks give up after about a second, others after six.
        const slowMs = name === 'memberCheck' ? 1000 : 6000;
        const failed = minute < 10 ? 0 : 20;
        metrics.send(minute, name, { requests: 20, failed, slowMs, slow: failed });
      }
    expect(pages(metrics)).toEqual({
      SelfCheckAlarm: 13,
      AvailabilityMemberCheckAlarm: 13,
      LatencyMemberCheckAlarm: 13,
      AvailabilityAlarm: 13,
    });
  });

  test('in minutes when the self-check fails or does not run', () => {
    expect(pages(withSelfCheck(20, (minute) => minute < 10))).toEqual({ SelfCheckAlarm: 13 });
    const silent = new Metrics(20);
    for (let minute = 0; minute < 10; minute++) silent.add(minute, 'self_check_failures', [[0, 1]]);
    expect(pages(silent)['SelfCheckAlarm']).toBeGreaterThanOrEqual(13);
  });

  test('when somebody sends 1,000 requests a second without a key', () => {
    const metrics = withSelfCheck(30);
    for (let minute = 10; minute < 30; minute++) metrics.add(minute, 'authentication_failures', [[1, 60_000]]);
    expect(pages(metrics)).toEqual({ FloodAlarm: 13 });
  });
});

describe('the alarms do not page', () => {
  test('in an idle stage', () => expect(fired(prod, withSelfCheck(DAY), { from: 5 })).toEqual([]));

  test('before the self-check is enabled, but notify after an hour', () => {
    const metrics = withSelfCheck(3 * HOUR);
    for (let minute = 0; minute < 3 * HOUR; minute++)
      metrics.add(minute, 'self_check_is_enabled', [[Number(minute >= 2 * HOUR), 1]]);
    expect(fired(prod, metrics, { from: 5 })).toEqual([
      { alarm: 'SelfCheckDisabledAlarm', minute: expect.any(Number), isUrgent: false },
    ]);
  });

  test.each([1, 2])('for %i failing requests in a quiet hour', (failures) => {
    const metrics = traffic(12 * HOUR, 'deleteTerminal', (minute) => ({
      requests: Number(minute % 10 === 0),
      failed: Number(minute % 10 === 0 && minute >= 7 * HOUR && minute < 7 * HOUR + 10 * failures),
    }));
    expect(fired(prod, metrics, { from: 6 * HOUR })).toEqual([]);
  });

  test.each([10, 60])('when 0.05 %% of %i member checks a minute fail, in a day', (requests) => {
    const random = randomNumbers(requests);
    const metrics = traffic(DAY, 'memberCheck', () => ({ requests, failed: binomial(random, requests, 0.0005) }));
    expect(pages(metrics, 6 * HOUR)).toEqual({});
  });

  test.each([20, 40, 80, 130])('again and again after an outage of %i minutes', (outage) => {
    const metrics = traffic(16 * HOUR, 'find', (minute) => ({
      requests: 100,
      failed: minute >= 7 * HOUR && minute < 7 * HOUR + outage ? 100 : 0,
    }));
    const urgent = fired(prod, metrics, { from: 6 * HOUR }).filter(({ isUrgent }) => isUrgent);
    expect(urgent.map(({ alarm }) => alarm)).toEqual(
      outage > HOUR ? ['AvailabilityAlarm', 'SlowBurnAlarm'] : ['AvailabilityAlarm'],
    );
  });

  test('for a failure that is over in two minutes', () => {
    const metrics = traffic(8 * HOUR, 'find', (minute) => ({
      requests: 100,
      failed: minute >= 400 && minute < 402 ? 100 : 0,
    }));
    expect(pages(metrics, 6 * HOUR)).toEqual({});
  });

  test('when a deployment makes each function start anew, and the self-check late', () => {
    const metrics = withSelfCheck(60, (minute) => minute !== 30);
    for (let minute = 0; minute < 60; minute++)
      for (const name of Object.keys(SLOS))
        metrics.send(minute, name, { requests: 20, slowMs: 1500, slow: minute === 30 ? 3 : 0 });
    expect(fired(prod, metrics, { from: 5 })).toEqual([]);
  });

  test('while the traffic is stopped on purpose, except for those that a restore disables', () => {
    const metrics = withSelfCheck(60, (minute) => minute < 20);
    for (let minute = 0; minute < 60; minute++) {
      for (const name of Object.keys(SLOS)) metrics.send(minute, name, { requests: minute < 20 ? 20 : 0 });
      if (minute >= 20) {
        metrics.add(minute, 'member_check_throttles', [[1, 200]]);
        metrics.add(minute, 'api_throttles', [[1, 200]]);
      }
    }
    const names = Object.keys(pages(metrics)).map((id) => prod.Resources[id]?.Properties.AlarmName);
    expect(names.sort()).toEqual(ALARMS_OF_STOPPED_TRAFFIC.map((name) => `acquirer-partner-api-prod-${name}`).sort());
  });
});

// "Configuring how CloudWatch alarms treat missing data" has these rows, the latest value last.
test.each([
  [3, '0 - X - X', false, false],
  [3, '0 - - - -', false, false],
  [3, '- - - - -', true, false],
  [3, '0 X X - X', true, true],
  [3, '- - - - X', true, false],
  [3, 'X - - - -', true, false],
  [2, '0 - X - X', true, true],
  [2, '0 0 X 0 X', true, true],
  [2, '0 - X - -', true, false],
  [2, '- - - - 0', true, false],
  [2, '- - - - X', true, false],
])('the simulator evaluates %i of 3 with %s as AWS documents it', (DatapointsToAlarm, values, ...isOn) => {
  const metrics = new Metrics(5);
  for (const [minute, value] of values.split(' ').entries())
    if (value !== '-') metrics.add(minute, 'metric', [[Number(value === 'X'), 1]]);
  const found = ['breaching', 'notBreaching'].map((TreatMissingData) => {
    const Properties = {
      MetricName: 'metric',
      Statistic: 'Sum',
      Period: 60,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      DatapointsToAlarm,
      EvaluationPeriods: 3,
      TreatMissingData,
    };
    const Resources = { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties } };
    return fired({ Resources }, metrics, { from: 4, delay: 0 }).length > 0;
  });
  expect(found).toEqual(isOn);
});

test('the dashboard shows how much of each error budget is left', () => {
  const metrics = new Metrics(10);
  for (let minute = 0; minute < 10; minute++) {
    // 0.03 % of the 0.05 % that may fail, and 0.5 % of the 1 % that may be slow.
    metrics.send(minute, 'memberCheck', {
      requests: 1000,
      failed: Number(minute < 2),
      throttled: Number(minute < 1),
      slowMs: 501,
      slow: 5,
    });
    // Twice the 0.1 % that may fail. What takes exactly as long as it may is fast.
    metrics.send(minute, 'lookup', { requests: 1000, crashed: 2, slowMs: 1000, slow: 500 });
  }
  const [availability = {}, latency = {}] = Object.values(budgetsLeft(prod, metrics));
  expect(Object.keys(availability)).toEqual(Object.keys(SLOS));
  expect(Object.keys(latency)).toEqual(Object.keys(SLOS));
  expect(availability['memberCheck']).toBeCloseTo(40, 6);
  expect(availability['lookup']).toBeCloseTo(-100, 6);
  expect(availability['find']).toBe(100);
  expect(latency['memberCheck']).toBeCloseTo(50, 1);
  expect(latency['lookup']).toBe(100);
});

test('all alarms fire alike if FILL gives no values to a metric that has none', () => {
  const metrics = traffic(8 * HOUR, 'lookup', (minute) => ({ requests: 10, crashed: minute < 7 * HOUR ? 0 : 10 }));
  for (let minute = 0; minute < 8 * HOUR; minute++)
    metrics.send(minute, 'memberCheck', { requests: 10, throttled: minute < 7 * HOUR ? 0 : 10 });
  const from = 6 * HOUR;
  const all = fired(prod, metrics, { from });
  expect(all.length).toBeGreaterThan(3);
  expect(fired(prod, metrics, { from, fillsEmpty: false })).toEqual(all);
});
