import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../../../lib/http/loggedCauses.ts';

const messagesOf = (thrown: unknown) => causesOf(thrown).map(({ message }) => message);

describe('the logged causes of a failure', () => {
  test('have name, message and stack, outermost first', () => {
    const inner = new TypeError('inner');
    const outer = new Error('outer', { cause: inner });
    expect(causesOf(outer)).toEqual([
      { name: 'Error', message: 'outer', stack: outer.stack },
      { name: 'TypeError', message: 'inner', stack: inner.stack },
    ]);
  });

  test('include the errors of an AggregateError', () => {
    expect(messagesOf(new AggregateError([new Error('IPv4'), new Error('IPv6')], 'refused'))).toEqual([
      'refused',
      'IPv4',
      'IPv6',
    ]);
  });

  test('include a thrown value of any kind, and an error without a stack', () => {
    expect(causesOf('out of order')).toEqual([{ name: 'string', message: 'out of order', stack: '' }]);
    expect(causesOf(undefined)).toEqual([{ name: 'undefined', message: 'undefined', stack: '' }]);
    const bare = Object.assign(new Error('bare'), { stack: undefined });
    expect(causesOf(bare)).toEqual([{ name: 'Error', message: 'bare', stack: '' }]);
  });

  test('end even if an error is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(messagesOf(error)).toEqual(Array(5).fill('round'));
  });

  test('are limited in size', () => {
    const long = 'x'.repeat(1_000_000);
    const causes = causesOf(new Error(long));
    expect(causes).toHaveLength(1);
    for (const { message, stack } of causes) {
      expect(message).toHaveLength(4000);
      expect(stack.length).toBeLessThanOrEqual(4000);
    }
  });

  test.each([
    ['an e-mail address', 'no user jo.doe@example.com here', 'no user [redacted] here'],
    ['a card number', 'value 4111111111111111, 4111 1111-1111 1111', 'value [redacted], [redacted]'],
    ['a card number with dashes', 'value 4111 - 1111 \u2013 1111  -  1111!', 'value [redacted]!'],
    ['a card number in Arabic digits', 'value \u0664111 1111 1111 \u0661111', 'value [redacted]'],
    ['an API key', 'header apk_abc-DEF_123', 'header [redacted]'],
    ['the secret of a webhook', `key whsec_${'aB+/'.repeat(10)}aB0= is`, 'key [redacted] is'],
    ['the cookie of a session', `cookie ${'Ab-3'.repeat(5)}_x.${'Cd_4'.repeat(10)}-yz`, 'cookie [redacted]'],
    [
      'an e-mail address that begins with a UUID',
      'to 376dc187-4312-4525-8048-d0292298964d@example.com',
      'to [redacted]',
    ],
  ])('redact %s', (_, message, redacted) => {
    expect(messagesOf(new Error(message))).toEqual([redacted]);
  });

  test('keep a UUID, also if its digits could be those of a card number', () => {
    const message = 'webhook 376dc187-4312-4525-8048-d0292298964d, terminal 41111111-1111-4111-8111-111111111111';
    expect(messagesOf(new Error(message))).toEqual([message]);
  });

  test('keep what an operator needs: addresses, ports, times and file names of packages', () => {
    const message = 'connect ECONNREFUSED 10.0.0.1:443 at 2026-11-20T09:41:00Z (node_modules/@middy/core/index.js:1:2)';
    expect(messagesOf(new Error(message))).toEqual([message]);
  });
});
