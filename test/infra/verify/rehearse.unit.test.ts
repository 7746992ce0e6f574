import { expect, test } from '@jest/globals';
import { rehearse } from '../../../infra/verify/rehearse.ts';

/** Rehearses on a stage that runs deployment 2, with these exit codes of verify. Returns the code and what was done. */
async function rehearsed(...codes: (number | Error)[]) {
  const done: string[] = [];
  let current = '2';
  const code = await rehearse({
    verify: async () => {
      done.push(`verify ${current}`);
      const next = codes.shift() ?? 0;
      if (next instanceof Error) throw next;
      return next;
    },
    rollBack: async (to = '1') => {
      const from = current;
      current = to;
      done.push(`roll back to ${to}`);
      return { from };
    },
  }).catch(({ message }: Error) => message);
  return { code, done };
}

const ALL = ['verify 2', 'roll back to 1', 'verify 1', 'roll back to 2', 'verify 2'];

test('verifies a stage before and after a rollback, and again when it runs what it ran before', async () => {
  expect(await rehearsed()).toEqual({ code: 0, done: ALL });
});

test('does not roll back a stage that fails', async () => {
  expect(await rehearsed(1)).toEqual({ code: 1, done: ['verify 2'] });
});

test.each([
  [1, [0, 1, 0], ALL],
  [1, [0, 0, 1], ALL],
  ['unreachable', [0, new Error('unreachable')], ALL.slice(0, 4)],
])('returns %s and rolls forward if it fails afterwards', async (code, codes, done) => {
  expect(await rehearsed(...(codes as (number | Error)[]))).toEqual({ code, done });
});
