import { randomUUID } from 'node:crypto';
import { eventOf, invoke } from '../test/support/invoke.ts';
import { metered } from './meter.ts';
import { newAcquirer, succeed } from './world.ts';

const CREATORS = 16;
const BRANCHES = 160;

/** Many creators at once for one acquirer: what it costs them to be in each other's way. */
export async function creators(): Promise<boolean> {
  const provider = await newAcquirer('PAYMENT_PROVIDER');
  const create = (number: number) =>
    invoke(
      'createBranch',
      eventOf('createBranch', {
        key: provider.key,
        body: { mid: `M${randomUUID().slice(0, 8)}N${number}`, master_merchant_id: `MM${number}` },
      }),
    );
  const each = BRANCHES / CREATORS;
  const started = performance.now();
  const { result: answers, usage } = await metered(async () => {
    const work = Array.from({ length: CREATORS }, async (_, creator) => {
      const own = [];
      for (let number = 0; number < each; number += 1) own.push(await create(creator * each + number));
      return own;
    });
    return (await Promise.all(work)).flat();
  });
  const seconds = (performance.now() - started) / 1000;

  const listed = new Set<string>();
  let total = 0;
  for (let page = 1; page <= Math.ceil(BRANCHES / 100); page += 1) {
    const query = { sort: 'asc', per_page: '100', page: String(page) };
    const { body } = await succeed('listBranches', { key: provider.key, query });
    total = body.meta.total;
    for (const { mid } of body.data) listed.add(mid);
  }
  const created = answers.filter(({ status }) => status === 201).length;
  console.table([
    {
      creators: CREATORS,
      branches: BRANCHES,
      '201': created,
      total,
      'listed, all ranks': listed.size,
      'attempts per create': Number((usage.transactions / BRANCHES).toFixed(2)),
      seconds: Number(seconds.toFixed(1)),
    },
  ]);
  return created === BRANCHES && total === BRANCHES && listed.size === BRANCHES;
}
