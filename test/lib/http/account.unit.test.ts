import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TokenAccount, UNITS_PER_TOKEN } from '../../../lib/http/account.ts';

/** An account, with all tokens that it took, the first included. */
function opened(quota: number) {
  const taken = [1];
  const account = new TokenAccount(quota, async (tokens) => void taken.push(tokens));
  return { account, taken, total: () => taken.reduce((sum, tokens) => sum + tokens, 0) };
}

test('a request takes no token more for what its first one pays for', async () => {
  const { account, taken } = opened(100);
  await account.pay('read', UNITS_PER_TOKEN.read);
  await account.pay('write', UNITS_PER_TOKEN.write);
  expect([taken, account.close()]).toEqual([[1], 0]);
});

test('what a read did not cost pays for the next one, and the rest is given back at the end', async () => {
  const { account, taken } = opened(100);
  (await account.pay('read', 60))(20);
  (await account.pay('read', 40))(10);
  expect([taken, account.close()]).toEqual([[1, 4], 2]);
});

test('a read that can cost more than the quota takes all of it, and none of the next ones is free', async () => {
  const { account, taken } = opened(10);
  (await account.pay('read', 256))(1);
  (await account.pay('read', 700))(400);
  await account.pay('read', 12);
  expect([taken, account.close()]).toEqual([[1, 9, 1, 1], 0]);
});

test('a write that is sent again pays again, and one that costs more than the quota takes all of it', async () => {
  const { account, taken } = opened(10);
  await account.pay('write', 48);
  await account.pay('write', 48);
  await account.pay('write', 9_999);
  expect(taken).toEqual([1, 2, 3, 10]);
});

test('all that is read and written is paid for before, whatever is sent, at once or in turn', async () => {
  const use = fc.record({ kind: fc.constantFrom('read', 'write'), most: fc.nat(300), cost: fc.nat(300) });
  await fc.assert(
    fc.asyncProperty(fc.array(use), fc.boolean(), async (uses, isConcurrent) => {
      const { account, total } = opened(1_000_000);
      const used = { read: 0, write: 0 };
      const send = async ({ kind, most, cost }: (typeof uses)[number]) => {
        const settle = await account.pay(kind as 'read' | 'write', most);
        used[kind as 'read' | 'write'] += kind === 'read' ? Math.min(cost, most) : most;
        if (kind === 'read') settle(Math.min(cost, most));
      };
      if (isConcurrent) await Promise.all(uses.map(send));
      else for (const each of uses) await send(each);
      const paid = total() - account.close();
      expect(used.read).toBeLessThanOrEqual(paid * UNITS_PER_TOKEN.read);
      expect(used.write).toBeLessThanOrEqual(paid * UNITS_PER_TOKEN.write);
    }),
  );
});
