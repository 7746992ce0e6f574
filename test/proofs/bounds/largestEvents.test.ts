import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { HORIZON_MS } from '../../../lib/base/time.ts';
import { addNames, type Caller, newSharedBranch, newWorld, type World } from '../../support/world.ts';
import {
  eventsOf,
  MOST_BODY_BYTES,
  pick,
  record,
  type ShownEvent,
  sized,
  skipTime,
  succeed,
  useAwsTable,
} from './bounds.ts';

/* The largest events: requests that create as many terminals as one can, with the longest values in every field. */

const BRANCHES = sized(1, 4);
const REQUESTS = sized(12, 25);
const TERMINALS = 40;

useAwsTable();

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The longest alphanumeric text. Random, so that it cannot be compressed well. */
const longId = (): string => Array.from(randomBytes(255), (byte) => LETTERS[byte % LETTERS.length]).join('');
/** A text of random ideographs of four bytes each. */
const ideographs = (count: number): string =>
  Array.from({ length: count }, () => String.fromCodePoint(0x20000 + (randomBytes(2).readUInt16BE() % 0xa000))).join(
    '',
  );

let world: World;
let names: { paymentApps: string[]; masterAcquirers: string[] };
beforeAll(async () => {
  world = await newWorld();
  const longest = () => Array.from({ length: TERMINALS }, () => ideographs(250));
  names = { paymentApps: longest(), masterAcquirers: longest() };
  await addNames(world.distributor, names);
});

const newTerminal = (terminal_id: string) => ({
  terminal_id,
  serial_no: longId(),
  terminal_model: ideographs(255),
  payment_app: pick(names.paymentApps),
  acquirer_name: pick(names.masterAcquirers),
});

/** What a request did: the id by which its event is found, and its type. */
interface Made {
  request_id: string;
  type: string;
}

const madeBy = (events: ShownEvent[]): Made[] => events.map(({ request_id, type }) => ({ request_id, type }));

/**
 * Fills a branch by the largest requests. Each creates the same terminal again, which is deleted in between, among others
 * that are new.
 */
async function fill({ key }: Caller, mid: string, recurring: string) {
  const made: Made[] = [];
  const ofRecurring: Made[] = [];
  const ofAnother: Made[] = [];
  let [tid, another] = ['', ''];
  const change = async (type: string, ...[operation, request]: Parameters<typeof succeed>) => {
    const { headers, body } = await succeed(operation, { key, ...request });
    const event = { request_id: headers['x-request-id'] as string, type };
    made.push(event);
    return { event, body };
  };
  for (let number = 1; number <= REQUESTS; number += 1) {
    const ids = Array.from({ length: TERMINALS - 1 }, longId);
    ids.splice(number, 0, recurring);
    const created = await change('terminals.created', 'createTerminals', {
      path: { id: mid },
      body: { terminals: ids.map(newTerminal) },
    });
    ofRecurring.push(created.event);
    tid = created.body.data[number].tid;
    if (number === 1) {
      another = created.body.data[0].tid;
      ofAnother.push(created.event);
    }
    const deleted = await change('terminal.deleted', 'deleteTerminal', { path: { id: tid } });
    ofRecurring.push(deleted.event);
  }
  for (const terminal_model of [ideographs(255), ideographs(255)]) {
    const updated = await change('terminal.updated', 'updateTerminal', {
      path: { id: another },
      body: { terminal_model },
    });
    ofAnother.push(updated.event);
  }
  return { made, tid, ofRecurring, another, ofAnother };
}

test(`the events of ${BRANCHES * REQUESTS} requests with the most and longest terminals are all read, in pages of 1 MB`, async () => {
  const { distributor, provider } = world;
  const branches: { mid: string; filled: Awaited<ReturnType<typeof fill>> }[] = [];
  const all: Made[] = [];
  for (let number = 1; number <= BRANCHES; number += 1) {
    const { mid } = await newSharedBranch(world);
    const filled = await fill(distributor, mid, longId());
    branches.push({ mid, filled });
    all.push({ request_id: expect.any(String) as never, type: 'branch.created' }, ...filled.made);
  }
  skipTime(2 * HORIZON_MS);

  for (const { key } of [provider, distributor]) {
    const read = async (...[operation, request]: Parameters<typeof eventsOf>) => {
      const { events, largest } = await eventsOf(operation, { key, ...request, query: { limit: '100' } });
      record(operation, { events: events.length, largest });
      expect(largest).toBeLessThanOrEqual(MOST_BODY_BYTES);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      return events;
    };
    const feed = await read('listEvents', {});
    expect(madeBy(feed)).toEqual(all);
    for (const { mid, filled } of branches) {
      const history = await read('getBranchHistory', { path: { mid } });
      expect(madeBy(history).toReversed().slice(1)).toEqual(filled.made);
      const recurring = await read('getTerminalHistory', { path: { id: filled.tid } });
      expect(madeBy(recurring).toReversed()).toEqual(filled.ofRecurring);
      const another = await read('getTerminalHistory', { path: { id: filled.another } });
      expect(madeBy(another).toReversed()).toEqual(filled.ofAnother);
      // The whole event, not only its head.
      const [first] = history.filter(({ type }) => type === 'terminals.created');
      expect(first?.data).toHaveLength(TERMINALS);
    }
  }
});
