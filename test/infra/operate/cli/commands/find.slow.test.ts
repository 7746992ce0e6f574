import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashOf } from '../../../../../lib/acquirers/apiKey.ts';
import { masterMerchantUuidOf, tidOf } from '../../../../../lib/table/keys.ts';
import { call } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { personOf } from '../../../../support/people.ts';
import { tableRequestsBy } from '../../../../support/tableRequests.ts';
import { newBranch, newWorld, unique, type World } from '../../../../support/world.ts';
import { done, expectFailure, jsonOf, operator } from '../operator.ts';

const NOTHING =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person. Ids are case-sensitive, except UUIDs.';

let world: World;
const [mid, terminal_id, serial_no, master_merchant_id] = ['MID', 'T', 'SN', 'MM'].map(unique) as [
  string,
  string,
  string,
  string,
];
const tid = tidOf(terminal_id);
const [payfair, northgate] = [() => `Payfair (${world.provider.id})`, () => `Northgate (${world.distributor.id})`];
const keyId = () => hashOf(world.provider.key).slice(0, 12);

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

/** The types of what a text finds, and an id of each. */
const foundBy = async (text: string): Promise<[string, string][]> =>
  (await jsonOf('find', text)).map(({ type, data }: { type: string; data: Record<string, string> }) => [
    type,
    data['tid'] ?? data['mid'] ?? data['existing_master_merchant'] ?? data['key_id'] ?? data['id'],
  ]);

describe('find', () => {
  test.each<[string, () => string, string]>([
    ['a TID', () => tid.toUpperCase(), 'terminal'],
    ['a terminal_id', () => terminal_id, 'terminal'],
    ['a serial number', () => serial_no, 'terminal'],
  ])('shows a terminal with its branch, by %s', async (_, text) => {
    const [{ data, branch, ...found }, ...others] = await jsonOf('find', text());
    expect([found, others]).toEqual([{ type: 'terminal' }, []]);
    expect(data).toMatchObject({ tid, terminal_id, serial_no, status: 'active' });
    expect(branch).toMatchObject({ mid, city: 'Braga', terminal_count: 1 });
    expect(await operator(['find', text()])).toEqual(
      done(`Terminal ${terminal_id}
  tid               ${tid}
  serial number     ${serial_no}
  model             Pocket
  status            active
  branch            ${mid}, Estrela Books Braga, Braga
  payment provider  ${payfair()}
  distributor       ${northgate()}
  payment app       Checkout Go
  created           ${data.created_at}
  updated           ${data.updated_at}`),
    );
  });

  test('says since when and why a terminal is archived, by itself or with its branch', async () => {
    const { key } = world.provider;
    const other = await newBranch(world.provider, {
      terminals: ['A', 'B'].map((each) => ({ terminal_id: unique(each) })),
    });
    const [alone, together] = other.terminals as { tid: string }[];
    await call('archiveTerminal', { key, path: { id: alone?.tid as string }, body: { reason: 'Lost' } });
    await call('archiveBranch', { key, path: { mid: other.mid } });
    const statusOf = async (text: string) => / {2}status +(.*)/.exec((await operator(['find', text])).stdout)?.[1];
    expect(await statusOf(alone?.tid as string)).toMatch(/^archived since \d.+Z: Lost$/);
    expect(await statusOf(together?.tid as string)).toMatch(/^archived since \d.+Z: Archived with its branch\.$/);
    expect(await statusOf(other.mid)).toMatch(/^archived since \d[^ ]+Z$/);
  });

  test('shows a branch by its MID', async () => {
    const [{ type, data }] = await jsonOf('find', mid);
    expect([type, data]).toEqual(['branch', expect.objectContaining({ mid, terminal_count: 1 })]);
    expect(await operator(['find', mid])).toEqual(
      done(`Branch ${mid}
  name              Estrela Books Braga
  city              Braga
  status            active
  terminals         1
  master merchant   ${master_merchant_id}, Estrela Books
  payment provider  ${payfair()}
  distributor       ${northgate()}
  created           ${data.created_at}
  updated           ${data.updated_at}`),
    );
  });

  test('shows a master merchant by its UUID, and those of all payment providers by their master_merchant_id', async () => {
    await newBranch(world.stranger, { master_merchant_id });
    const uuids = [world.provider, world.stranger].map(({ id }) => masterMerchantUuidOf(id, master_merchant_id));
    expect((await foundBy(master_merchant_id)).sort()).toEqual(uuids.map((uuid) => ['master_merchant', uuid]).sort());
    expect(await jsonOf('find', uuids[0]?.toUpperCase() as string)).toEqual([
      {
        type: 'master_merchant',
        data: {
          existing_master_merchant: uuids[0],
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
    ]);
    expect(await operator(['find', uuids[0] as string])).toEqual(
      done(`Master merchant ${master_merchant_id}
  uuid              ${uuids[0]}
  name              Estrela Books
  payment provider  ${payfair()}`),
    );
  });

  test('shows an acquirer by its id or name', async () => {
    const { id } = world.secondProvider;
    for (const text of [id.toUpperCase(), 'quickPAY']) expect(await foundBy(text)).toEqual([['acquirer', id]]);
    const { default_limit, partners, payment_apps, master_acquirers, api_keys, branches, last_change, ...data } =
      await jsonOf('acquirers', 'show', id);
    expect(await jsonOf('find', id)).toEqual([{ type: 'acquirer', data }]);
    expect((await operator(['find', id])).stdout).toMatch(
      /^Acquirer Quickpay\n {2}id {8}\S+\n {2}type {6}PAYMENT_PROVIDER\n {2}created {3}\S+\n {2}API keys {2}1\n$/,
    );
  });

  test('shows an API key, also of a disabled acquirer and after it was revoked', async () => {
    const acquirer = world.provider.id;
    const times = { created_at: TIME, last_used_at: null, expires_at: null };
    const shown = { key_id: keyId(), label: 'test', role: 'full', ...times, acquirer, acquirer_disabled_at: null };
    expect(await jsonOf('find', keyId())).toEqual([{ type: 'api_key', data: shown }]);
    const [{ data }] = await jsonOf('find', keyId());
    const text = (status: string) => `API key ${keyId()}
  acquirer   ${payfair()}
  label      test${status}
  role       full
  created    ${data.created_at}
  last used  none recorded
  expires    never`;
    expect(await operator(['find', keyId()])).toEqual(done(text('')));
    const { disabled_at } = await jsonOf('acquirers', 'disable', acquirer, '--yes');
    expect((await jsonOf('find', keyId()))[0].data).toEqual({ ...shown, acquirer_disabled_at: disabled_at });
    const status = `\n  status     refused: its acquirer has been disabled since ${disabled_at}`;
    expect(await operator(['find', keyId()])).toEqual(done(text(status)));
    await jsonOf('acquirers', 'enable', acquirer);

    const { key_id } = await jsonOf('keys', 'issue', acquirer, '--label', 'leaked');
    await jsonOf('keys', 'revoke', acquirer, key_id, '--yes');
    const [{ data: ended }] = await jsonOf('find', key_id);
    const revoked = { id: EVENT_ID, type: 'api_key.revoked', at: TIME, by: userInfo().username };
    expect(ended).toEqual({ key_id, label: 'leaked', acquirer, ended: revoked });
    expect(await operator(['find', key_id])).toEqual(
      done(`API key ${key_id}
  acquirer  ${payfair()}
  label     leaked
  status    not valid any more: api_key.revoked at ${ended.ended.at} by ${userInfo().username}`),
    );
  });

  test('shows a person with their acquirers by id', async () => {
    const { provider, stranger } = world;
    const { id, identity } = await personOf(provider.id, 'admin');
    await personOf(stranger.id, 'viewer', { identity });
    const [{ type, data }, ...others] = await jsonOf('find', id.toUpperCase());
    expect([type, others]).toEqual(['person', []]);
    expect(data).toEqual({
      id,
      name: 'Anna Example',
      email: identity.email,
      acquirers: expect.arrayContaining([
        { id: provider.id, role: 'admin' },
        { id: stranger.id, role: 'viewer' },
      ]),
      created_at: TIME,
      signed_in_at: TIME,
    });
    const { stdout } = await operator(['find', id]);
    expect(stdout).toContain(`Person Anna Example\n  id         ${id}\n  email      ${identity.email}\n  acquirers  `);
    expect(stdout).toContain(`${payfair()} as admin`);
  });

  test('shows everything that has the same id', async () => {
    const text = unique('SAME');
    await newBranch(world.provider, { mid: text, master_merchant_id: text, terminals: [{ terminal_id: text }] });
    await newBranch(world.provider, { terminals: [{ terminal_id: unique('T'), serial_no: text }] });
    expect((await foundBy(text)).map(([type]) => type)).toEqual(['terminal', 'terminal', 'branch', 'master_merchant']);
  });

  test('says how to find a request, which is not stored', async () => {
    const id = randomUUID();
    const title = 'Nothing is stored under this id. If it is a request id, find its log line with';
    expect(await operator(['find', id.toUpperCase(), '--local', 'tmp/demo.json'])).toEqual(
      done(`${title}:\n  command  grep ${id} tmp/server.log`),
    );
    const table = ['--table', process.env['TABLE_NAME'] as string];
    const query = `filter request_id = "${id}" | fields @timestamp, route, acquirer, key_id, key_label, status, code, duration_ms, causes.0.message`;
    const groups = '/aws/lambda/acquirer-partner-api-<stage>-*';
    expect(await operator(['find', id, ...table])).toEqual(
      done(`${title} CloudWatch Logs Insights:\n  groups  ${groups}\n  query   ${query}`),
    );
    expect(await jsonOf('find', id, ...table)).toEqual([{ type: 'request', data: { request_id: id, groups, query } }]);
  });

  test.each([
    ['an id that nothing has', 'NOSUCH', ''],
    ['an id in the wrong case', mid.toLowerCase(), ''],
    ['a part of a name', 'North', ' Did you mean Northgate?'],
    ['an API key, without repeating it', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt', ''],
    ['a card number, without repeating it', '4242424242424242', ''],
  ])('fails for %s, and says what it has tried', async (_, text, hint) => {
    await expectFailure(['find', text], `${NOTHING}${hint}`);
  });

  test('reads by key, and scans nothing', async () => {
    const { requests } = await tableRequestsBy(() => operator(['find', serial_no]));
    expect(requests.length).toBeLessThan(10);
    expect(new Set(requests.map(({ operation }) => operation))).toEqual(new Set(['Query', 'BatchGetItem', 'GetItem']));
  });
});
