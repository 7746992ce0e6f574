import { userInfo } from 'node:os';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { SEARCHED } from '../../../../../infra/operate/cli/partnerEvents.ts';
import { keyIdOf } from '../../../../../lib/acquirers/apiKey.ts';
import { hashOf, newApiKey } from '../../../../../lib/base/apiKeyFormat.ts';
import { masterMerchantUuidOf, tidOf } from '../../../../../lib/table/keys.ts';
import { call } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { personOf } from '../../../../support/people.ts';
import { newBranch, newWorld, unique, type World } from '../../../../support/world.ts';
import { done, expectFailure, jsonOf, operator } from '../operator.ts';

const NOTHING =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name ' +
  'and id of an acquirer, id of an API key, id of a person, request id of a refused request. Ids are case-sensitive, ' +
  'except UUIDs.';

let world: World;
const [mid, terminal_id, serial_no, master_merchant_id] = [unique('MID'), unique('T'), unique('SN'), unique('MM')];
const tid = tidOf(terminal_id);

beforeAll(async () => {
  world = await newWorld();
  await newBranch(world.distributor, {
    mid,
    payment_provider: world.provider.id,
    master_merchant_id,
    master_merchant_name: 'Estrela Books',
    branch_name: 'Estrela Books Braga',
    city: 'Braga',
    terminals: [{ terminal_id, serial_no, terminal_model: 'Pocket', payment_app: 'Checkout Go' }],
  });
});

/** The types of what a text finds. */
const typesOf = async (text: string): Promise<string[]> =>
  (await jsonOf('find', text)).map(({ type }: { type: string }) => type);

describe('find', () => {
  test.each([
    ['a TID', tid.toUpperCase()],
    ['a terminal_id', terminal_id],
    ['a serial number', serial_no],
  ])('shows a terminal with its branch, by %s', async (_, text) => {
    const { key } = world.provider;
    const [data] = (await call('listTerminals', { key, path: { id: mid } })).body.data;
    const { terminals: __, ...branch } = (await call('getBranch', { key, path: { mid } })).body.data;
    expect(await jsonOf('find', text)).toEqual([{ type: 'terminal', data, branch }]);
  });

  test('prints what has a value, with acquirers by name', async () => {
    const [{ data, branch }] = await jsonOf('find', tid);
    const [provider, distributor] = [world.provider, world.distributor];
    expect(await operator(['find', tid])).toEqual(
      done(`Terminal:
  tid             ${tid}
  terminal id     ${terminal_id}
  serial no       ${serial_no}
  terminal model  Pocket
  payment app     Checkout Go
  mid             ${mid}
  status          active
  created at      ${data.created_at}
  updated at      ${data.updated_at}
Its branch:
  mid                       ${mid}
  merchant name             Estrela Books Braga
  city                      Braga
  master merchant name      Estrela Books
  master merchant id        ${master_merchant_id}
  status                    active
  created at                ${branch.created_at}
  updated at                ${branch.updated_at}
  existing master merchant  ${branch.existing_master_merchant}
  payment provider          Payfair (${provider.id})
  distributor               Northgate (${distributor.id})
  terminal count            1`),
    );
  });

  test('shows a branch by its MID', async () => {
    const { branch } = (await jsonOf('find', tid))[0];
    expect(await jsonOf('find', mid)).toEqual([{ type: 'branch', data: branch }]);
  });

  test('shows a master merchant by its UUID, and those of all providers by master_merchant_id', async () => {
    await newBranch(world.stranger, { master_merchant_id });
    expect(await typesOf(master_merchant_id)).toEqual(['master_merchant', 'master_merchant']);
    const existing_master_merchant = masterMerchantUuidOf(world.provider.id, master_merchant_id);
    const [found, ...others] = await jsonOf('find', existing_master_merchant.toUpperCase());
    expect([found, others]).toEqual([
      {
        type: 'master_merchant',
        data: {
          existing_master_merchant,
          master_merchant_id,
          master_merchant_name: 'Estrela Books',
          payment_provider: world.provider.id,
          email: null,
          country_code: null,
          phone: null,
          mcc: null,
          country: null,
        },
      },
      [],
    ]);
  });

  test('shows an acquirer by its id or name', async () => {
    const { id } = world.secondProvider;
    const data = { id, type: 'PAYMENT_PROVIDER', name: 'Quickpay', created_at: TIME, limit: null, disabled_at: null };
    for (const text of [id.toUpperCase(), 'quickPAY'])
      expect(await jsonOf('find', text)).toEqual([{ type: 'acquirer', data }]);
  });

  test('shows an API key, also of a disabled acquirer and after it was revoked', async () => {
    const acquirer = world.provider.id;
    const { key_id, api_key } = await jsonOf('keys', 'issue', acquirer, '--label', 'leaked');
    const byKey = () => operator(['find', '--api-key-stdin', '--json'], { input: `${api_key}\n` });
    const dataOf = async () => (await jsonOf('find', key_id))[0].data;
    const rest = { ends_with: expect.stringMatching(/^[\w-]{4}$/), replaces: null };
    const times = { ...rest, created_at: TIME, last_used_at: null, expires_at: null };
    const shown = { key_id, label: 'leaked', role: 'full', ...times, acquirer, acquirer_disabled_at: null };
    expect(await jsonOf('find', key_id)).toEqual([{ type: 'api_key', data: shown }]);
    expect(JSON.parse((await byKey()).stdout)).toEqual([{ type: 'api_key', data: shown }]);
    const { disabled_at } = await jsonOf('acquirers', 'disable', acquirer, '--yes');
    expect(await dataOf()).toEqual({ ...shown, acquirer_disabled_at: disabled_at });
    await jsonOf('acquirers', 'enable', acquirer);
    await jsonOf('keys', 'revoke', acquirer, key_id, '--yes');
    const ended = { id: EVENT_ID, type: 'api_key.revoked', at: TIME, by: userInfo().username };
    expect(await dataOf()).toEqual({ key_id, label: 'leaked', acquirer, ended });
    expect(JSON.parse((await byKey()).stdout)[0].data).toEqual({ key_id, label: 'leaked', acquirer, ended });
  });

  test('says whether an API key on stdin was mistyped, or is of another stage, without repeating it', async () => {
    const key = newApiKey();
    const id = keyIdOf(hashOf(key));
    const other = `There is no API key ${id}, and the record has none. Is it of another stage?`;
    await expectFailure(['find', '--api-key-stdin'], other, 1, { input: key });
    const broken =
      'The checksum of this API key is wrong, so it never worked. Was it cut off, or copied with an error?';
    await expectFailure(['find', '--api-key-stdin'], broken, 1, { input: key.slice(0, -1) });
  });

  test('shows a person by id', async () => {
    const { id } = await personOf(world.provider.id, 'admin');
    expect(await jsonOf('find', id.toUpperCase())).toMatchObject([{ type: 'person', data: { id } }]);
  });

  test('shows a refused request by its request id, with its acquirer', async () => {
    const { id: acquirer, key } = world.provider;
    const terminals = [{ terminal_id: 'T-1' }, {}];
    const request_id: string = (await call('createTerminals', { key, path: { mid }, body: { terminals } })).body
      .request_id;
    const { data } = (await call('getRefusedRequest', { key, path: { request_id } })).body;
    expect(await jsonOf('find', request_id.toUpperCase())).toEqual([
      { type: 'refused_request', data: { acquirer, ...data } },
    ]);
    const { stdout } = await operator(['find', request_id]);
    for (const line of [
      `acquirer       Payfair (${acquirer})`,
      `mid            ${mid}`,
      'code           validation_failed',
      'errors         pointer /terminals/0/terminal_id, code invalid_format, pointer /terminals/1/terminal_id, code required',
      'key label      test',
    ])
      expect(stdout).toContain(`\n  ${line}\n`);
  });

  test('shows a refused request of a person by name, also after their removal, and after their erasure by id', async () => {
    const { id, session } = await personOf(world.provider.id, 'viewer');
    const { request_id } = (await call('archiveBranch', { session, path: { mid } })).body;
    const shown = async () => (await operator(['find', request_id])).stdout;
    expect(await shown()).toContain('\n  person         Anna Example\n');
    await jsonOf('people', 'remove', id, '--acquirer', world.provider.id, '--yes');
    expect(await shown()).toContain('\n  person         Anna Example\n');
    await jsonOf('people', 'erase', id, '--yes');
    expect(await shown()).toContain(`\n  person         ${id}\n`);
  });

  test('shows everything that has the same id', async () => {
    const text = unique('SAME');
    await newBranch(world.provider, { mid: text, master_merchant_id: text, terminals: [{ terminal_id: text }] });
    await newBranch(world.provider, { terminals: [{ terminal_id: unique('T'), serial_no: text }] });
    expect(await typesOf(text)).toEqual(['terminal', 'terminal', 'branch', 'master_merchant']);
  });

  test.each([
    ['an id that nothing has', 'NOSUCH'],
    ['an id in the wrong case', mid.toLowerCase()],
    ['a part of a name', 'North'],
    ['a card number, without repeating it', '4242424242424242'],
  ])('fails for %s, and says what it has tried', async (_, text) => {
    await expectFailure(['find', text], NOTHING);
  });
});

describe('find, for a request that was accepted', () => {
  const most = SEARCHED.most;
  afterEach(() => {
    SEARCHED.most = most;
  });
  const MINUTE_MS = 60_000;
  const minutesFromNow = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
  const accepted = async (): Promise<string> => {
    const response = await call('updateBranch', {
      key: world.provider.key,
      path: { mid },
      body: { city: unique('C') },
    });
    return response.headers['x-request-id'] as string;
  };
  const searchFor = (id: string) => `If it is a request id, search the logs: grep ${id} nonesuch/server.log`;

  test('shows its event if its acquirer and its time are known', async () => {
    const request_id = await accepted();
    const [event] = await jsonOf('history', mid, '--limit', '1');
    expect(event).toMatchObject({ type: 'branch.updated', details: { request_id } });
    for (const minutes of [-4, 4])
      expect(await jsonOf('find', request_id, '--acquirer', 'Payfair', '--at', minutesFromNow(minutes))).toEqual([
        { type: 'event', data: event },
      ]);
    const { stdout } = await operator(['find', request_id, '--acquirer', 'Payfair', '--at', minutesFromNow(0)]);
    expect(stdout).toBe((await operator(['history', mid, '--limit', '1'])).stdout.replace(/Older events.*\n/, ''));
  });

  test('says how to search the logs, of its time if that is known', async () => {
    const request_id = await accepted();
    const around = ['--acquirer', 'Payfair', '--at'];
    for (const more of [[], [...around, minutesFromNow(-6)], [...around, minutesFromNow(6)]])
      await expectFailure(['find', request_id, ...more], `${NOTHING} ${searchFor(request_id)}`);
    SEARCHED.most = 1;
    const tooMany = `Found nothing. There are more than 1 events to search. ${searchFor(request_id)}`;
    await expectFailure(['find', request_id, ...around, minutesFromNow(0)], tooMany);
  });
});
