import { describe, expect, jest, test } from '@jest/globals';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import {
  BRANCH_ARCHIVED,
  NO_BRANCH,
  NO_MASTER_ACQUIRER,
  NO_PAYMENT_APP,
  NO_TEXT_CONTROLS,
  TIME,
} from '../../support/constants.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { terminalBody } from '../../support/requests.ts';
import { branchItemOf, storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  addNames,
  archiveBranch,
  type Caller,
  newBranch,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';
import { listMissingTerminals, ordersIn, shownTerminal, storedTerminal, withTerminals } from './terminals.ts';

type FieldError = [pointer: string, code: string, detail: string];
const taken = (at: number, field: 'terminal_id' | 'serial_no'): FieldError => [
  `/terminals/${at}/${field}`,
  'taken',
  `Another terminal has this ${field}.`,
];
const noApp = (at: number): FieldError => [`/terminals/${at}/payment_app`, 'not_found', NO_PAYMENT_APP];
const noAcquirer = (at: number): FieldError => [`/terminals/${at}/acquirer_name`, 'not_found', NO_MASTER_ACQUIRER];

const world = useWorld();

const create = (mid: string, body: unknown, { key } = world.provider) =>
  call('createTerminals', { key, path: { id: mid }, body });

/** Creates terminals in a new shared branch, and asserts the whole response and everything that is stored. */
async function expectCreated(terminals: object[], more: Record<string, unknown> = {}) {
  const { mid } = await newSharedBranch(world, more);
  const branch = await branchItemOf(mid);

  const { response, changed, events } = await storedBy(() => create(mid, { terminals }));

  const { data } = response.body;
  const { created_at } = data[0];
  const isSent = ([, value]: [string, unknown]) => String(value ?? '').trim() !== '';
  const sent = terminals.map((terminal) => Object.fromEntries(Object.entries(terminal).filter(isSent)));
  expect(response.status).toBe(201);
  expect(response.headers['location']).toBe(`https://api.example.com/ext/api/v1/terminals/${mid}`);
  expect(created_at).toEqual(TIME);
  expect(response.body).toEqual({
    data: sent.map((terminal) => shownTerminal({ ...terminal, mid, created_at, updated_at: created_at })),
  });
  const items = (data as Record<string, string>[]).map((each, at) => storedTerminal(each, at));
  const creation_event = items.length > 1 ? events?.[world.provider.id]?.[0]?.id : undefined;
  expect(changed).toEqual({
    [`BRANCH#${mid} BRANCH`]: withTerminals(
      branch,
      created_at,
      items.map((item) => String(item['branch_order'])),
    ),
    ...Object.fromEntries(
      items.flatMap(({ tid, serial_no, ...item }) => [
        [`TERMINAL#${tid} TERMINAL`, { tid, serial_no, ...item, creation_event }],
        ...(serial_no ? [[`SERIAL#${serial_no} SERIAL`, { tid }]] : []),
      ]),
    ),
  });
  return data;
}

describe('201', () => {
  test('creates a terminal with every field set, whose TID follows from its terminal_id', async () => {
    const [{ tid }] = await expectCreated([terminalBody({ terminal_id: 'TFULL1', terminal_model: 'Move “Ñ” 🏪' })]);
    expect(tid).toBe('ce806e38-f620-5e5d-a12d-a716a7000f02');
  });

  test.each<[string, object]>([
    ['only its terminal_id', {}],
    ['null or a blank text in optional fields', { serial_no: null, terminal_model: ' ', acquirer_name: '\u00a0\n' }],
  ])('creates a terminal with %s', async (_, fields) => {
    await expectCreated([{ terminal_id: unique('T'), ...fields }]);
  });

  test('creates 40 terminals in one request, in request order, after those that the branch has', async () => {
    const terminals = numbered(unique('T'), 40).map(({ terminal_id }, at) => ({
      ...terminalBody({ terminal_id, serial_no: `S${terminal_id}`, terminal_model: `Model ${at}` }),
      payment_app: at % 2 ? 'Checkout Go' : 'Counter Plus',
      acquirer_name: at % 2 ? 'Atlantic Acquiring' : 'Baltic Merchant Bank',
    }));
    const data = await expectCreated(terminals, { terminals: numbered(unique('T'), 1) });
    expect(new Set(data.map(({ tid }: { tid: string }) => tid)).size).toBe(40);
  });

  test('adds terminals of one millisecond one after the other, in order', async () => {
    const { mid } = await newSharedBranch(world);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const responses = [];
    for (const count of [1, 40, 2]) responses.push(await create(mid, { terminals: numbered(unique('T'), count) }));
    jest.restoreAllMocks();
    const times = responses.map(({ body }) => Date.parse(body.data[0].created_at));
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 1, 2]);
    const tids = responses.flatMap(({ body }) => body.data.map(({ tid }: { tid: string }) => tid));
    expect(ordersIn(await branchItemOf(mid)).map((order) => order.split('#').at(-1))).toEqual(tids);
  });

  test('sends one read for every uniqueness and name check, and one write', async () => {
    const { mid } = await newSharedBranch(world);
    // Caches the API key.
    await newTerminal(world.provider, mid);
    const sent = await tableRequestsBy(() => create(mid, { terminals: [terminalBody(), terminalBody()] }));
    expect(sent.response.status).toBe(201);
    expect(operationsOf(sent)).toBe('BatchGetItem TransactWriteItems');
    // The update of the branch has its own condition; names are not checked again. The last two are events, one for
    // each acquirer of the branch.
    const steps = sent.requests[1]?.input['TransactItems'] as object[];
    expect(steps.map((step) => Object.keys(step)[0])).toEqual(['Update', 'Put', 'Put', 'Put', 'Put', 'Put', 'Put']);
  });
});

test('rejects terminals for an archived branch or one of other acquirers, without their field errors', async () => {
  const { mid } = await newSharedBranch(world);
  const { terminal_id } = await newTerminal(world.provider, mid);
  const body = { terminals: [{ terminal_id, payment_app: 'Nobody’s' }] };
  await expectRefused(() => create(mid, body, world.stranger), 'not_found', NO_BRANCH);
  await archiveBranch(world.provider, mid);
  await expectRefused(() => create(mid, body, world.stranger), 'not_found', NO_BRANCH);
  for (const sent of [body, { terminals: [{ terminal_id: unique('T') }] }])
    await expectRefused(() => create(mid, sent), 'branch_archived', BRANCH_ARCHIVED);
});

describe('422', () => {
  /** Asserts that a create gets exactly these field errors, sends no write and stores nothing. */
  async function expectRejected(mid: string, terminals: unknown, fieldErrors: FieldError[], caller?: Caller) {
    const { response: sent, changed } = await storedBy(() => tableRequestsBy(() => create(mid, { terminals }, caller)));
    expectProblem(sent.response, 'validation_failed', fieldErrors);
    expect(operationsOf(sent)).not.toMatch(/Write/);
    expect(changed).toEqual({});
  }

  test.each<[string, unknown, FieldError]>([
    ['without terminals', undefined, ['/terminals', 'required', 'Is required.']],
    ['with an empty list of terminals', [], ['/terminals', 'too_short', 'Must have at least 1 item.']],
    ['with 41 terminals', numbered('T', 41), ['/terminals', 'too_long', 'Must have at most 40 items.']],
  ])('rejects a body %s, before the branch is read', async (_, terminals, fieldError) => {
    await expectRejected('NOSUCHMID', terminals, [fieldError]);
  });

  test('lists every invalid field of every terminal, together with duplicates', async () => {
    const { mid } = await newSharedBranch(world);
    const twice = (field: string) => `Appears twice in this request; each ${field} must differ.`;
    await expectRejected(
      mid,
      [
        { serial_no: 'S 1', terminal_model: '4111111111111111' },
        { terminal_id: 'TWICE1', serial_no: 'STWICE1' },
        { terminal_id: 'TWICE1', serial_no: null },
        { terminal_id: 'TWICE2', serial_no: 'STWICE1', acquirer_name: '\ud800' },
      ],
      [
        ['/terminals/0/terminal_id', 'required', 'Is required.'],
        ['/terminals/0/serial_no', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
        ['/terminals/0/terminal_model', 'card_number', 'Must not contain a payment card number.'],
        ['/terminals/3/acquirer_name', 'invalid_format', NO_TEXT_CONTROLS],
        ['/terminals/2/terminal_id', 'duplicate', twice('terminal_id')],
        ['/terminals/3/serial_no', 'duplicate', twice('serial_no')],
      ],
    );
  });

  test('lists every taken value and every unknown name, and creates none of the terminals', async () => {
    const { provider, stranger } = world;
    const terminal_id = unique('T');
    const { mid } = await newSharedBranch(world, { terminals: [{ terminal_id }] });
    const archived = await newTerminal(provider, mid, { serial_no: unique('S') });
    await call('archiveTerminal', { key: provider.key, path: { id: archived.tid }, body: { reason: 'Out of order' } });
    const foreign = await newTerminal(stranger, (await newBranch(stranger)).mid, { serial_no: unique('S') });
    await expectRejected(
      mid,
      [
        { terminal_id: unique('T'), serial_no: unique('S'), payment_app: 'Checkout Go' },
        { terminal_id: archived.terminal_id, serial_no: foreign.serial_no },
        { terminal_id: unique('T'), payment_app: 'Nobody’s', acquirer_name: 'No one’s' },
        { terminal_id: foreign.terminal_id },
        { terminal_id: unique('T'), serial_no: archived.serial_no, payment_app: 'Nobody’s' },
        // It was created with its branch.
        { terminal_id },
      ],
      [
        ...[noApp(2), noAcquirer(2), noApp(4)],
        ...[taken(1, 'terminal_id'), taken(1, 'serial_no'), taken(3, 'terminal_id')],
        ...[taken(4, 'serial_no'), taken(5, 'terminal_id')],
      ],
    );
  });

  test('rejects names that only the other acquirer of the branch has', async () => {
    const { mid } = await newSharedBranch(world);
    const { provider, distributor } = world;
    const names = { payment_app: 'Payfair App', acquirer_name: 'Payfair Bank' };
    await addNames(provider, { paymentApps: [names.payment_app], masterAcquirers: [names.acquirer_name] });
    const terminals = [{ terminal_id: unique('T'), ...names }];
    await expectRejected(mid, terminals, [noApp(0), noAcquirer(0)], distributor);
    expect((await create(mid, { terminals })).status).toBe(201);
  });
});

describe('a branch with almost 1,000 terminals', () => {
  const tooMany = (count: number) =>
    `A branch can have at most 1000 terminals, and this one has ${count}. Delete some, or use another branch.`;

  test('takes as many as it has room for, and refuses more, also if others come in just before the write', async () => {
    const { mid } = await newBranch(world.provider);
    await listMissingTerminals(mid, 997);
    const create = (count: number) =>
      call('createTerminals', {
        key: world.provider.key,
        path: { id: mid },
        body: { terminals: numbered(unique('T'), count) },
      });
    const { response, changed } = await storedBy(() => create(4));
    expectProblem(response, 'too_many_terminals', tooMany(997));
    expect(changed).toEqual({});

    // By a process whose clock is behind, so that the times of the branch do not show it.
    const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2_000);
    beforeNextWrite(() => {
      ahead.mockRestore();
      return create(2);
    });
    expectProblem(await create(2), 'too_many_terminals', tooMany(999));
    expect((await create(1)).status).toBe(201);
    const { body } = await call('getBranch', { key: world.provider.key, path: { mid } });
    expect(body.data.terminal_count).toBe(1000);
  });
});
