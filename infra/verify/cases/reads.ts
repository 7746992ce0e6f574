import { CACHE_MS } from '../../../lib/base/cache.ts';
import { HORIZON_MS } from '../../../lib/base/time.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import type { ApiResponse } from '../../local/invoke.ts';
import type { Case } from '../case.ts';
import { Skipped } from '../failure.ts';
import { expect, type World } from '../world.ts';

/** Longer than a process caches a list. */
const CACHED_MS = CACHE_MS + 1_000;

type Body = ApiResponse['body'];

const keysIn = ({ data }: Body): string[] => data.map(({ key }: { key: string }) => key);

/** Reads the event feed from a cursor to its end, and returns the types of the events about a branch, oldest first. */
async function feedAbout(world: World, mid: string, start: string): Promise<string[]> {
  const types: string[] = [];
  for (let after = start; ; ) {
    const { body } = await world.call('listEvents', { query: { after, limit: '50' } }, 200);
    for (const { type, branch } of body.data) if (branch.mid === mid) types.push(type);
    if (body.meta.up_to_date) return types;
    after = body.meta.next;
  }
}

export const READS: Case[] = [
  {
    name: 'lookups list what the caller may name',
    covers: ['lookup'],
    run: async (world) => {
      const { provider, distributor } = world;
      const list = async (method: string, by: typeof provider) =>
        keysIn((await world.call('lookup', { by, path: { method } }, 200)).body);
      const includes = async (method: string, by: typeof provider, key: string) =>
        expect((await list(method, by)).includes(key), `${method} lacks ${key}`, 'lookup');
      await includes('distributors', provider, distributor.id);
      await includes('paymentProviders', distributor, provider.id);
      await includes('paymentProviders', provider, provider.id);
      await includes('paymentApp', provider, world.place.names.payment_app);
      await includes('acquirers', provider, world.place.names.acquirer_name);
      await world.call('lookup', { path: { method: 'models' } }, [404, 'not_found']);
    },
  },
  {
    name: 'a lookup of master merchants finds a new one',
    covers: ['lookup'],
    run: async (world) => {
      const subject = world.subject();
      await world.valid('createBranch', subject);
      const uuid = masterMerchantUuidOf(world.provider.id, subject.master_merchant_id);
      // A process may have cached the list.
      const request = { path: { method: 'masterMerchants' }, query: { search: subject.master_merchant_id } };
      const isLong = (body: Body) => body.warnings !== undefined;
      const { body } = await world.call('lookup', { path: request.path }, 200);
      if (isLong(body) || keysIn(body).includes(uuid)) return;
      await world.place.wait(CACHED_MS);
      const later = await world.call('lookup', request, 200);
      expect(keysIn(later.body).includes(uuid), 'lacks the new master merchant', 'lookup', later);
    },
    waits: true,
  },
  {
    name: 'a list of master merchants of more than 1 MB is searched by words',
    covers: ['lookup'],
    run: async (world) => {
      const operator = world.operator();
      const subject = world.subject();
      await world.valid('createBranch', subject);
      const path = { method: 'masterMerchants' };
      const { body } = await world.call('lookup', { path }, 200);
      if (!body.warnings) throw new Skipped('the list of master merchants has less than 1 MB');
      const uuid = masterMerchantUuidOf(world.provider.id, subject.master_merchant_id);
      await operator.unindexMasterMerchant(uuid);
      const query = { search: subject.master_merchant_id };
      await world.eventually('lookup', { path, query }, 'it', (found) => keysIn(found).includes(uuid));
    },
  },
  {
    name: 'a terminal, a branch and a master merchant are found by each identifier',
    covers: ['find'],
    run: async (world) => {
      const subject = world.subject();
      const { terminal_id, serial_no, mid, master_merchant_id } = subject;
      await world.prepare('find', subject);
      for (const query of [{ tid: tidOf(terminal_id) }, { terminal_id }, { serial_no }])
        await world.call('find', { query }, 200);
      await world.call('find', { query: { mid } }, 200);
      await world.call('find', { query: { master_merchant_id } }, 200);
      await world.call('find', { query: { serial_no: `${serial_no}X` } }, [404, 'not_found']);
    },
  },
  {
    name: 'the event feed shows what happened, in order',
    covers: ['listEvents'],
    waits: true,
    run: async (world) => {
      const { body } = await world.call('listEvents', { query: { after: 'now' } }, 200);
      const subject = world.subject();
      await world.valid('archiveBranch', subject);
      await world.place.wait(HORIZON_MS + 2_000);
      const types = await feedAbout(world, subject.mid, body.meta.next);
      expect(`${types}` === 'branch.created,branch.archived', `shows ${types}`, 'listEvents');
    },
  },
  {
    name: 'a member check identifies a member, and nobody by another token',
    covers: ['memberCheck'],
    run: async (world) => {
      const subject = world.subject();
      await world.operator().addMember(subject.card);
      await world.prepare('memberCheck', subject);
      const { body } = world.request('memberCheck', subject);
      for (const key of [world.provider.keys.till, world.provider.keys.full]) {
        const checked = await world.call('memberCheck', { key, body }, 200);
        const { member_identified, rewards } = checked.body.data;
        expect(member_identified && rewards.length === 1, 'does not identify the member', 'memberCheck', checked);
      }
      const wrong = await world.call(
        'memberCheck',
        { body: { ...(body as object), card_pseudo_token: 'another' } },
        200,
      );
      expect(!wrong.body.data.member_identified, 'identifies a member by another token', 'memberCheck', wrong);
    },
  },
  {
    name: 'a member check without a member identifies nobody',
    covers: ['memberCheck'],
    run: async (world) => {
      const { body } = world.request('memberCheck', world.subject());
      const card = { card_id: `no-card-${world.tag}`, card_pseudo_token: 'none' };
      const checked = await world.call('memberCheck', { body: { ...(body as object), ...card } }, 200);
      expect(!checked.body.data.member_identified, 'identifies somebody', 'memberCheck', checked);
    },
  },
];
