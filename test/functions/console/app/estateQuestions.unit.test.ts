import { describe, expect, jest, test } from '@jest/globals';
import { type Branch, type Criteria, Estate, type Terminal } from '../../../../docs/client/estate/estate.ts';
import type { Patience } from '../../../../functions/console/app/api/patience.ts';
import { shareOf } from '../../../../functions/console/app/api/share.ts';
import { ANSWERS } from '../../../../functions/console/app/estate/questions.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const TIME = '2026-01-01T00:00:00.000Z';
const TIMES = { status: 'active', created_at: TIME, updated_at: TIME, archived_at: null } as const;

const estate = new Estate();
const tidOf = (at: number) => `${at}0000000-0000-5000-8000-000000000000`;

function addBranch(mid: string, merchant_name: string | null, fields: Partial<Branch> = {}) {
  const names = { area: null, city: null, master_merchant_name: 'Group', master_merchant_id: `BIZ${mid}` };
  estate.branches.set(mid, { mid, merchant_name, ...names, ...TIMES, ...fields });
}
function addTerminal(at: number, mid: string, fields: Partial<Terminal> = {}) {
  const tid = tidOf(at);
  const details = { serial_no: `SN${at}`, terminal_model: null, payment_app: null, acquirer_name: null };
  const terminal = { tid, terminal_id: `T${at}`, ...details, mid, ...TIMES, archive_reason: null, last_seen_at: null };
  estate.terminals.set(tid, { ...terminal, ...fields });
}

addBranch('M1', 'Casa Verde', { city: 'Porto' });
addBranch('M2', 'Café Azul', { city: 'Évora' });
addBranch('M3', null, { master_merchant_name: 'Alone' });
addTerminal(1, 'M1', { terminal_model: 'PAX', last_seen_at: '2026-06-15T11:00:00.000Z' });
addTerminal(2, 'M1', { terminal_model: 'PAX A920', last_seen_at: '2026-06-01T11:00:00.000Z' });
addTerminal(3, 'M2', { status: 'archived', archived_at: TIME });

const sort: Criteria['sort'] = { by: 'terminal_id', isDescending: true };
const criteria = { text: '', filters: {}, sort };
const idsOf = ({ rows }: { rows: { terminal: Terminal }[] }) => rows.map(({ terminal }) => terminal.terminal_id);

describe('a page asks', () => {
  test('which terminals it shows, and which are selected', () => {
    const window = ANSWERS.terminals(estate, { criteria, now: NOW, from: 1, to: 2 });
    expect([window.total, idsOf(window)]).toEqual([3, ['T2']]);
    expect(window.rows[0]?.branch?.merchant_name).toBe('Casa Verde');
    expect(ANSWERS.tids(estate, { criteria, now: NOW, from: 0, to: 2 })).toEqual([tidOf(3), tidOf(2)]);
    const tids = [tidOf(1), tidOf(9), tidOf(3)];
    expect(idsOf({ rows: ANSWERS.chosen(estate, { tids, sort }) })).toEqual(['T3', 'T1']);
  });

  test('how many terminals have each value, with labels that it searches', () => {
    const of = { criteria, now: NOW, from: 0, to: 2 };
    const branches = {
      total: 2,
      most: 2,
      from: 0,
      rows: [
        ['M1', 2, 'Casa Verde'],
        ['M2', 1, 'Café Azul'],
      ],
    };
    expect(ANSWERS.terminalValues(estate, { ...of, facet: 'branch' })).toEqual(branches);
    expect(ANSWERS.terminalValues(estate, { ...of, facet: 'branch', search: 'cafe' }).rows).toEqual([
      ['M2', 1, 'Café Azul'],
    ]);
    expect(ANSWERS.terminalValues(estate, { ...of, facet: 'city', search: 'EVO' }).rows).toEqual([
      ['Évora', 1, 'Évora'],
    ]);
    const without = { ...of, facet: 'acquirer_name', search: 'none', none: 'None' } as const;
    expect(ANSWERS.terminalValues(estate, without).rows).toEqual([['', 3, 'None']]);
    const more = { ...of, facet: 'city', chosen: ['Faro'], only: ['Faro', 'Porto'] } as const;
    expect(ANSWERS.terminalValues(estate, more).rows).toEqual([
      ['Porto', 2, 'Porto'],
      ['Faro', 0, 'Faro'],
    ]);
    expect(ANSWERS.terminalValues(estate, { ...of, facet: 'terminal_model', to: 1 })).toMatchObject({
      total: 3,
      rows: [[expect.any(String), 1, expect.any(String)]],
    });
  });

  test('which branches it shows, and how many have each value', () => {
    const all = { text: '', filters: {}, sort: 'terminals' } as const;
    const { total, rows } = ANSWERS.branches(estate, { criteria: all, from: 0, to: 2 });
    expect([total, rows.map(({ branch, active }) => [branch.mid, active])]).toEqual([
      3,
      [
        ['M1', 2],
        ['M2', 0],
      ],
    ]);
    expect(ANSWERS.mids(estate, { ...all, text: 'c', sort: 'name' })).toEqual(['M2', 'M1']);
    expect(ANSWERS.branchValues(estate, { criteria: all, facet: 'business', from: 0, to: 9, search: 'gro' })).toEqual({
      total: 2,
      most: 1,
      from: 0,
      rows: [
        ['BIZM1', 1, 'Group (BIZM1)'],
        ['BIZM2', 1, 'Group (BIZM2)'],
      ],
    });
  });

  test('what a text, a list and ids are', () => {
    expect(idsOf(ANSWERS.byPart(estate, 'n3'))).toEqual(['T3']);
    expect(ANSWERS.pasted(estate, { text: 'sn 1\nT2\nT9', most: 9 })).toMatchObject({ missing: ['T9'], count: 3 });
    expect(ANSWERS.names(estate, { mids: ['M1', 'M9'], tids: [tidOf(2)], businesses: ['BIZM3', 'BIZ9'] })).toEqual({
      branches: [estate.branch('M1')],
      terminals: [{ tid: tidOf(2), terminal_id: 'T2', mid: 'M1' }],
      businesses: [
        ['BIZM3', 'Alone'],
        ['BIZ9', 'BIZ9'],
      ],
    });
  });

  test('in which cities businesses have branches', () => {
    addBranch('M4', null, { city: 'Faro', master_merchant_id: 'BIZM1' });
    expect(ANSWERS.cities(estate, ['BIZM1', 'BIZM3', 'BIZ9'])).toEqual([
      ['BIZM1', 2, 'Porto'],
      ['BIZM3', 0, undefined],
      ['BIZ9', 0, undefined],
    ]);
    estate.branches.delete('M4');
  });

  test('for figures, and how wide columns are', () => {
    expect(ANSWERS.figures(estate, { now: NOW, most: 1 })).toEqual({
      terminals: 3,
      branches: 3,
      idle: 2,
      status: [
        ['active', 2],
        ['archived', 1],
      ],
      seen: expect.arrayContaining([
        ['week', 1],
        ['never', 1],
      ]),
      city: { total: 2, most: 2, from: 0, rows: [['Porto', 2, 'Porto']] },
      terminal_model: { total: 3, most: 1, from: 0, rows: [[expect.any(String), 1, expect.any(String)]] },
    });
    expect(ANSWERS.lengths(estate)).toMatchObject({
      terminal_id: 2,
      serial_no: 3,
      terminal_model: 3,
      branch: 10,
      city: 5,
    });
  });
});

describe('of a rate limit', () => {
  const patience: Patience = async (send) => ({ data: (await send()).data as never });
  /** The times at which requests are sent whose responses say what is left, in milliseconds. */
  async function timesOf(left: number[], policy?: string): Promise<number[]> {
    jest.useFakeTimers();
    const begin = Date.now();
    const times: number[] = [];
    const share = shareOf(patience, new AbortController().signal);
    const send = (r: number) => async () => {
      times.push(Date.now() - begin);
      const headers = new Headers(policy ? { 'ratelimit-policy': policy, ratelimit: `"requests";r=${r};t=2` } : {});
      return { data: {}, response: new Response('{}', { headers }) };
    };
    const sending = [share.patience(send(left[0] as number))];
    await jest.advanceTimersByTimeAsync(0);
    sending.push(...left.slice(1).map((r) => share.patience(send(r))));
    await jest.advanceTimersByTimeAsync(60_000);
    await Promise.all(sending);
    jest.useRealTimers();
    return times;
  }

  test('half is left to others: it waits for a new window, and sends five requests a second', async () => {
    expect(await timesOf([180, 120, 99, 190, 150], '"requests";q=200;w=2')).toEqual([0, 200, 400, 2_400, 2_600]);
  });

  test('nothing is left where there is none', async () => {
    expect(await timesOf([0, 0, 0])).toEqual([0, 0, 0]);
  });
});
