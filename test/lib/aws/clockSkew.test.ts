import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { provableSkewMs } from '../../../lib/aws/clockSkew.ts';
import { inRequest, requestContext } from '../../../lib/aws/requestContext.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { throttled } from '../table/errors.ts';
import { intercept } from '../table/intercept.ts';

const SECOND = Date.parse('2026-03-01T12:00:00Z');
const DATE = 'Sun, 01 Mar 2026 12:00:00 GMT';

describe('the provable skew', () => {
  test.each<[title: string, sent: number, received: number, date: string | undefined, skew: number]>([
    ['is 0 within the second of the server', 0, 999, DATE, 0],
    ['is 0 if the request began before that second', -300, 20, DATE, 0],
    ['is 0 if the response arrived after that second', 990, 1400, DATE, 0],
    ['is 0 if the request took longer than that second', -5000, 5000, DATE, 0],
    ['of a clock ahead counts from the end of the second to sending', 3500, 3600, DATE, 2500],
    ['of a clock behind counts from receiving to the begin of the second', -2600, -2500, DATE, 2500],
    ['may be hours', 7_200_000, 7_200_100, DATE, 7_199_000],
    ['is 0 without the header', 3500, 3600, undefined, 0],
    ['is 0 for a malformed header', 3500, 3600, '1', 0],
    ['is 0 for a day that does not exist', 3500, 3600, 'Sun, 99 Mar 2026 12:00:00 GMT', 0],
  ])('%s', (_, sent, received, date, skew) => {
    expect(provableSkewMs(SECOND + sent, SECOND + received, date)).toBe(skew);
  });
});

describe('a request to the table', () => {
  const read = () => getItem({ pk: 'THING#clock', sk: 'THING' });
  beforeAll(read);
  afterEach(() => {
    table.middlewareStack.remove('dated');
    jest.restoreAllMocks();
  });

  type Attempt = (args: object) => Promise<{ response: { headers: Record<string, string | undefined> } }>;

  /** Reads an item. The header of each response is what `dateOf` makes of the engine's. Returns the measured skew. */
  function skewWith(dateOf: (date: string | undefined, attempt: number) => string | undefined): Promise<number> {
    let attempts = 0;
    const dated = (next: Attempt) => async (args: object) => {
      const result = await next(args);
      attempts += 1;
      result.response.headers['date'] = dateOf(result.response.headers['date'], attempts);
      return result;
    };
    table.middlewareStack.addRelativeTo(dated as never, {
      relation: 'after',
      toMiddleware: 'clockSkew',
      name: 'dated',
      override: true,
    });
    return inRequest(async () => {
      await read();
      return requestContext().clockSkewMs;
    });
  }
  const dateIn = (milliseconds: number) => new Date(Date.now() + milliseconds).toUTCString();

  test('measures a clock behind and a clock ahead of the table', async () => {
    for (const ahead of [4000, -4000]) {
      const skew = await skewWith(() => dateIn(ahead));
      expect(skew).toBeGreaterThan(2000);
      expect(skew).toBeLessThanOrEqual(4000);
    }
  });

  test('measures nothing if the clocks agree, or if there is no readable header', async () => {
    for (const date of [undefined, 'soon']) expect(await skewWith(() => date)).toBe(0);
    // The engine sends its own.
    let sent: string | undefined;
    const skew = await skewWith((date) => {
      sent = date;
      return date;
    });
    expect([skew, sent]).toEqual([0, expect.stringMatching(/ GMT$/)]);
  });

  test('measures each attempt of a retried request by its own times, and keeps the largest skew', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    for (const skewed of [1, 2]) {
      let attempts = 0;
      intercept(async (send) => {
        const result = await send();
        attempts += 1;
        if (attempts === 1) throw throttled();
        return result;
      }, 'deserialize');
      expect(await skewWith((date, attempt) => (attempt === skewed ? dateIn(4000) : date))).toBeGreaterThan(2000);
    }
  });
});
