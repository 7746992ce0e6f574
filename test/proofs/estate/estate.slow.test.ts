import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { noteChange, onNoted } from '../../../functions/console/app/api/ownChanges.ts';
import { KEEP_EVERY_MS, SIZES } from '../../../functions/console/app/estate/feed.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { call, type Operation, type Request as Sent } from '../../support/api.ts';
import { newWorld, type Send } from '../../support/cast.ts';
import { runs, seed } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { signedIn, type Wire } from '../consoleImport/estate.ts';
import { pass, setClocks, useFleetClocks } from '../mirror/clocks.ts';
import { callerOf, changes, founding, make } from '../mirror/estate.ts';
import { expectEqual, LATER_MS, listed } from '../mirror/proof.ts';
import { Browser, newOwner, Tab } from './tabs.ts';

/*
 * Proves that the console's estate equals the lists once the feed has passed all changes: three sessions and keys make
 * random changes while tabs are closed, offline or forgotten, disks are full, and cursors expire.
 */

let server: Served;
let endFleetClocks: () => void;
beforeAll(async () => {
  server = await serveHandlers();
  endFleetClocks = useFleetClocks();
  Object.assign(SIZES, { branches: 2, terminals: 2 });
  Object.assign(KEEP_EVERY_MS, { walking: 0 });
});
afterAll(async () => {
  endFleetClocks();
  await server.stop();
});

/** Sends a change of a person, whose tab notes it. */
async function change(tab: Tab, { session }: SignedIn, operation: Operation, request: Sent) {
  const response = await call(operation, { ...request, session });
  const sent = new Request('http://t/ext/api/v1/', { method: 'POST', headers: { 'acting-as': session.actingAs } });
  onNoted((_, changes) => tab.feed.note(changes));
  await noteChange(sent, new Response(JSON.stringify(response.body), { status: response.status }));
  return response;
}

const HAPPENINGS = {
  nothing: () => {},
  closed: (tab: Tab) => tab.close(),
  offline: (tab: Tab) => Object.assign(tab, { isOffline: true }),
  expired: (tab: Tab) => Object.assign(tab, { isExpired: true }),
  full: (_: Tab, browser: Browser) => Object.assign(browser, { isFull: true }),
  forgotten: (_: Tab, browser: Browser) => browser.records.clear(),
};
const KINDS = Object.keys(HAPPENINGS) as (keyof typeof HAPPENINGS)[];
const happening = fc.record({
  what: fc.constantFrom(...KINDS, 'nothing' as const, 'nothing' as const, 'closed' as const),
  after: fc.nat(100),
});
const timeBefore = (ms: number): string => new Date(Date.now() - ms).toISOString();

const WRITERS = ['a', 'b', 'c', 'd'];
const round = fc.record({
  writers: fc.tuple(...WRITERS.map((name) => changes(name, { minLength: 4, maxLength: 6 }))),
  happenings: fc.array(happening, { minLength: 4, maxLength: 4 }),
  since: fc.constantFrom(0, LATER_MS, LATER_MS),
});
const course = fc.record({ founding, rounds: fc.array(round, { minLength: 8, maxLength: 8 }) });

test('the estate in each tab equals the lists after the delay of the feed', async () => {
  let count = 0;
  const property = fc.asyncProperty(course, async ({ founding, rounds }) => {
    setClocks();
    const world = await newWorld();
    const id = world.names.get('P2') as string;
    const { key } = callerOf(world, 'P2');
    await make(world, founding, call as Send);
    const client = await signedIn({ id } as Caller, server);
    const browsers = [new Browser(), new Browser(), new Browser()] as const;
    // The first two are tabs of the same browser.
    const browserOf = (tab: number) => browsers[Math.max(0, tab - 1)] as Browser;
    const tabs = WRITERS.map((_, at) => new Tab(browserOf(at), client));
    const people = await Promise.all(tabs.slice(1).map(() => personOf(id, 'admin')));

    for (const [number, { writers, happenings, since }] of rounds.entries()) {
      const writing = writers.map((all, at) => {
        const [tab, person] = [tabs[at] as Tab, people[at]];
        const send: Send = async (operation, { key: own, ...request }) => {
          const isOwn = person && own === key;
          const response = await (isOwn
            ? change(tab, person, operation, request)
            : call(operation, { ...request, key: own }));
          count += Number(response.status < 300);
          return response;
        };
        const marked = all.map((each) => ({ ...each, mark: `${number}${each.mark}` }));
        return make(world, marked, send);
      });
      const happening = happenings.map(async ({ what, after }, at) => {
        await new Promise((done) => setTimeout(done, after));
        await HAPPENINGS[what](tabs[at] as Tab, browserOf(at));
      });
      await Promise.all([...writing, ...happening]);
      pass(since);
      for (const [at, { what }] of happenings.entries()) {
        const tab = tabs[at] as Tab;
        if (what === 'closed') tab.open();
        // The others rest until then.
        if (['closed', 'nothing', 'full'].includes(what)) await tab.completeTo(timeBefore(26_000));
        Object.assign(tab, { isOffline: false });
        browserOf(at).isFull = false;
      }
    }

    const end = timeBefore(0);
    pass(LATER_MS);
    const lists = await listed(world, 'P2', call as Send);
    // Then those that begin with what the others have stored.
    const opened = [...tabs, ...browsers.map((browser) => () => new Tab(browser, client))];
    for (const each of opened) {
      const tab = typeof each === 'function' ? each() : each;
      const { rows, feed } = await tab.completeTo(end);
      const terminals = new Map(rows.map(({ terminal }) => [terminal.tid, terminal]));
      const all = feed.estate.branchesIn({ text: '', filters: {}, sort: 'asc' }, { from: 0, to: 1_000_000 }).rows;
      const branches = new Map(all.map(({ branch }) => [branch.mid, branch]));
      expectEqual({ branches, terminals, cursor: '' }, lists);
      expect(rows.map(({ branch }) => branch)).toEqual(rows.map(({ terminal }) => branches.get(terminal.mid)));
      tab.close();
    }
  });
  await fc.assert(property, { numRuns: runs(7), seed, unbiased: true, endOnFailure: true });
  expect(count).toBeGreaterThan(runs(200));
});

/** An acquirer with two branches, of which one has two terminals, and a person of it. */
async function newEstate() {
  setClocks();
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { mid } = await newBranch(caller);
  const [A, B, C] = ['A', 'B', 'C'].map(unique) as [string, string, string];
  const { mid: full } = await newBranch(caller, { terminals: [{ terminal_id: A }, { terminal_id: B }] });
  const person = await personOf(caller.id, 'admin');
  return { caller, mid, full, A, B, C, person, client: await signedIn(caller, server) };
}

test(
  'own changes are shown at once, also those of the terminals of a branch; others when the feed has ' + 'them',
  async () => {
    const { caller, mid, full, A, B, C, person, client } = await newEstate();
    const tab = new Tab(new Browser(), client);
    await tab.completeTo('');
    const own = (operation: Operation, id: string, body?: object) =>
      change(tab, person, operation, { path: { id, mid: id }, ...(body && { body }) });
    const shown = () =>
      tab.rows
        .map(({ terminal, branch }) => [terminal.terminal_id, terminal.status, terminal.terminal_model, branch?.mid])
        .sort();

    await own('archiveBranch', full);
    await own('restoreTerminal', tidOf(A));
    expect(shown()).toEqual([
      [A, 'active', null, full],
      [B, 'archived', null, full],
    ]);
    await own('restoreBranch', full);
    await own('createTerminals', mid, { terminals: [{ terminal_id: C }] });
    await own('reassignTerminal', tidOf(A), { mid });
    await own('updateBranch', mid, { branch_name: 'Harbour' });
    await own('archiveTerminal', tidOf(C), { reason: 'Lost' });
    await call('updateTerminal', { key: caller.key, path: { id: tidOf(B) }, body: { terminal_model: 'Move' } });
    expect(shown()).toEqual([
      [A, 'active', null, mid],
      [B, 'active', null, full],
      [C, 'archived', null, mid],
    ]);
    expect(tab.feed.estate.branch(mid)).toMatchObject({ merchant_name: 'Harbour' });
    await own('deleteTerminal', tidOf(A));
    const end = timeBefore(0);
    expect(shown()).toHaveLength(2);
    pass(LATER_MS);
    await tab.completeTo(end);
    expect(shown()).toEqual([
      [B, 'active', 'Move', full],
      [C, 'archived', null, mid],
    ]);
    tab.close();
  },
);

interface Meta {
  cursor?: string;
  walk?: { terminals: string | null };
  tooLargeAt?: number;
}
const isRead = ({ cursor, walk }: Meta): boolean => !!cursor && !walk;

/** Waits until something is kept; by default, all that is to be read. */
async function kept(browser: Browser, isSo: (meta: Meta) => unknown = isRead): Promise<Meta> {
  for (;;) {
    const meta = browser.records.has('meta') ? JSON.parse(await browser.read('meta')) : {};
    if (isSo(meta)) return meta;
    await new Promise((done) => setTimeout(done, 5));
  }
}

test('what is kept is shown at once, unless it has another form, or is not of the session', async () => {
  const { client } = await newEstate();
  const browser = new Browser();
  const tab = new Tab(browser, client);
  await tab.completeTo('');
  await kept(browser);
  const otherForm = async () =>
    browser.write('meta', JSON.stringify({ ...JSON.parse(await browser.read('meta')), form: 'other' }));
  const swapped = () => browser.records.set('terminals0', browser.records.get('branches0') as Uint8Array);
  const otherSession = () => Object.assign(browser, { owner: newOwner() });
  for (const [change, kind] of [
    [() => {}, 'following'],
    [otherForm, 'walking'],
    [swapped, 'walking'],
    [otherSession, 'walking'],
  ] as const) {
    tab.close();
    await change();
    tab.isOffline = true;
    tab.open();
    await tab.until(kind);
    expect(tab.rows).toHaveLength(kind === 'following' ? 2 : 0);
    // What was not read is read again, and kept.
    tab.isOffline = false;
    expect((await tab.completeTo('')).rows).toHaveLength(2);
    expect(await kept(browser)).toMatchObject({ cursor: expect.stringMatching(/./) });
  }
  tab.close();
});

test('the names, number and lengths of what is kept tell nothing but how many thousands an estate has', async () => {
  const { client, caller, full } = await newEstate();
  const shapes = [];
  for (const _ of [1, 2]) {
    const browser = new Browser();
    const tab = new Tab(browser, client);
    await tab.completeTo('');
    await kept(browser);
    tab.close();
    const lengths = [...browser.records].map(([record, value]) => [record, value.length]);
    shapes.push(lengths.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)));
    const text = Buffer.concat([...browser.records.values()].map((value) => Buffer.from(value))).toString('latin1');
    for (const secret of [full, caller.id, 'Payfair', 'terminal_id', 'cursor']) expect(text).not.toContain(secret);
    for (const id of Array.from({ length: 40 }, () => unique('MORE'))) await newBranch(caller, { mid: id });
  }
  expect(shapes[0]?.map(([record]) => record)).toEqual(['branches0', 'generation', 'meta', 'summary', 'terminals0']);
  expect(shapes[1]).toEqual(shapes[0]);
});

test('an estate that the browser does not keep is read all the same, and says so', async () => {
  const { client } = await newEstate();
  const browser = new Browser();
  const tab = new Tab(browser, client);
  expect((await tab.completeTo('')).feed.isKept).toBe(true);
  tab.close();
  const silent = { load: () => Promise.reject(new Error('It does not respond.')), save: async () => false };
  for (const [store, isFull] of [
    [silent, false],
    [undefined, true],
  ] as const) {
    Object.assign(tab, { store });
    Object.assign(browser, { isFull, owner: newOwner() });
    browser.records.clear();
    tab.open();
    await tab.until('following', ({ isKept }) => !isKept);
    expect(tab.rows).toHaveLength(2);
    tab.close();
  }
});

test('a walk goes on where it stopped, in another tab', async () => {
  const { client, caller } = await newEstate();
  for (const mid of Array.from({ length: 9 }, () => unique('W')))
    await newBranch(caller, { mid, terminals: [{ terminal_id: mid }] });
  const browser = new Browser();
  /** The beginnings of the list of terminals that were read, and how many pages the first tab may read. */
  let [begun, left] = [0, 3];
  const counting = (wire: Wire) =>
    client((request, send) =>
      wire(request, async () => {
        const { pathname, search } = new URL(request.url);
        if (!pathname.endsWith('/terminals')) return send();
        begun += Number(!search.includes('after'));
        left -= 1;
        if (left < 0) throw new TypeError('fetch failed');
        return send();
      }),
    );
  const [first, second] = [new Tab(browser, counting), new Tab(browser, counting)];
  await kept(browser, ({ walk }) => walk?.terminals);
  first.close();
  left = 100;
  await second.completeTo('');
  expect(second.rows).toHaveLength(11);
  expect(begun).toBe(1);
  second.close();
});

test('an estate that is too large is removed, and not read again on the same day', async () => {
  const { client } = await newEstate();
  const browser = new Browser();
  const tab = new Tab(browser, client);
  await tab.completeTo('');
  await kept(browser);
  tab.close();
  for (const isOffline of [false, true]) {
    Object.assign(SIZES, { most: { terminals: 1, branches: 1 } });
    Object.assign(tab, { isOffline, isExpired: true });
    tab.open();
    expect((await tab.until('too_large')).rows).toEqual([]);
    expect(await kept(browser, ({ tooLargeAt }) => tooLargeAt)).toMatchObject({ cursor: '' });
    expect([...browser.records.keys()].sort()).toEqual(['generation', 'meta']);
    tab.close();
  }
});
