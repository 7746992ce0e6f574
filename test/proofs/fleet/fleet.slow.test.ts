import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SIZES } from '../../../functions/console/app/fleet/engine.ts';
import { noteChange, onNoted } from '../../../functions/console/app/fleet/noted.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { call } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { personOf } from '../../support/people.ts';
import { signedIn } from '../consoleImport/estate.ts';
import { pass, setClocks, useFleetClocks } from '../mirror/clocks.ts';
import { callerOf, changes, founding, make } from '../mirror/estate.ts';
import { expectEqual, LATER_MS, listed } from '../mirror/proof.ts';
import { newWorld, type Send } from '../model/world.ts';
import { Browser, Tab } from './tabs.ts';

/*
 * Proves that the console's estate equals the lists once the feed has passed all changes: three sessions and keys make
 * random changes while tabs are opened, closed, offline, hidden or signed out, and cursors expire.
 */

let server: Served;
let endFleetClocks: () => void;
beforeAll(async () => {
  server = await serveHandlers();
  endFleetClocks = useFleetClocks();
  Object.assign(SIZES, { branches: 2, terminals: 2 });
});
afterAll(async () => {
  endFleetClocks();
  await server.stop();
});

const HAPPENINGS = {
  nothing: () => {},
  closed: (tab: Tab) => tab.close(),
  hidden: () => {},
  offline: (tab: Tab) => Object.assign(tab, { isOffline: true }),
  expired: (tab: Tab) => Object.assign(tab, { isExpired: true }),
  full: (_: Tab, browser: Browser) => Object.assign(browser, { isFull: true }),
  forgotten: (_: Tab, browser: Browser) => browser.forget(),
};
const happening = fc.record({
  what: fc.constantFrom(...(Object.keys(HAPPENINGS) as (keyof typeof HAPPENINGS)[])),
  after: fc.nat(60),
});
const round = fc.record({
  writers: fc.tuple(...['a', 'b', 'c', 'd'].map((name) => changes(name, { minLength: 6, maxLength: 9 }))),
  happenings: fc.array(happening, { minLength: 4, maxLength: 4 }),
  since: fc.constantFrom(0, 5_000, LATER_MS),
});
const course = fc.record({ founding, rounds: fc.array(round, { minLength: 4, maxLength: 4 }) });

test('the estate in each tab equals the lists after the delay of the feed', async () => {
  let count = 0;
  const property = fc.asyncProperty(course, async ({ founding, rounds }) => {
    setClocks();
    const world = await newWorld(call);
    const id = world.names.get('P2') as string;
    await make(world, founding, call as Send);
    const caller = { id, key: callerOf(world, 'P2').key as string };
    const client = await signedIn(caller as Parameters<typeof signedIn>[0], server);
    // Two tabs of one browser, and one of each other.
    const browsers = [new Browser(), new Browser(), new Browser()] as const;
    const tabs = [0, 0, 1, 2].map((at) => new Tab(browsers[at] as Browser, client));
    const people = await Promise.all(tabs.slice(1).map(() => personOf(id, 'admin')));

    for (const [number, { writers, happenings, since }] of rounds.entries()) {
      const writing = writers.map((all, at) => {
        const session = people[at]?.session;
        const send: Send = async (operation, { key, ...request }) => {
          const isSession = session !== undefined && key === caller.key;
          const { status, headers, body } = await call(operation, {
            ...request,
            ...(isSession ? { session } : { key }),
          });
          count += Number(status < 300);
          if (isSession) {
            const sent = new Request('http://t/ext/api/v1/', { method: 'POST', headers: { 'acting-as': id } });
            onNoted((_, changes) => tabs[at]?.engine.note(changes));
            await noteChange(sent, new Response(JSON.stringify(body), { status }));
          }
          return { status, headers, body };
        };
        return make(
          world,
          all.map((each) => ({ ...each, mark: `${number}${each.mark}` })),
          send,
        );
      });
      const happening = tabs.map(async (tab, at) => {
        const { what, after } = happenings[at] as (typeof happenings)[number];
        await new Promise((done) => setTimeout(done, after));
        HAPPENINGS[what](tab, browsers[Math.max(0, at - 1)] as Browser);
        return what;
      });
      await Promise.all(writing);
      pass(since);
      for (const [at, what] of (await Promise.all(happening)).entries()) {
        const tab = tabs[at] as Tab;
        if (what === 'closed') tab.open();
        else if (what === 'nothing') await tab.completeTo('');
        tab.isOffline = false;
      }
      for (const browser of browsers) browser.isFull = false;
    }

    const end = new Date().toISOString();
    pass(LATER_MS);
    const lists = await listed(world, 'P2', call as Send);
    // Some are opened again, with what was stored.
    const last = new Tab(browsers[0], client);
    for (const tab of [...tabs, last]) {
      const { rows, branches } = await tab.completeTo(end);
      const terminals = new Map(rows.map(({ terminal }) => [terminal.tid, terminal]));
      expectEqual({ branches: new Map(branches), terminals, cursor: '' }, lists);
      expect(rows.map(({ branch }) => branch)).toEqual(rows.map(({ terminal }) => branches.get(terminal.mid)));
      tab.close();
    }
  });
  await fc.assert(property, { numRuns: runs(5), seed, unbiased: true, endOnFailure: true });
  expect(count).toBeGreaterThan(runs(200));
});
