import { withPackage } from '../infra/packaged/packaging.ts';
import { resourceOf } from '../infra/packaged/template.ts';
import { BODIES, bodyOf, HUNGRIEST, LARGEST, LEAST_MS, MOST_TIMES_LONGER } from '../test/hostile/bodies.ts';
import { runInstance } from './instance.ts';
import { newAcquirer } from './world.ts';

/** What packaged functions compute and hold for the bodies that are the most work, each as large as it can be. */
export async function bodies(): Promise<boolean> {
  const { key } = await newAcquirer('PAYMENT_PROVIDER');
  const path = { id: 'NOSUCHID' };
  const rows = await withPackage('prod', async ({ folder, template }) => {
    const measured = [];
    for (const [title, operation, , partsOf] of [...BODIES, HUNGRIEST]) {
      // The first request is the cold one, and small.
      const run = (bytes: number) =>
        runInstance(folder, operation, [
          { key, path },
          { key, path, body: bodyOf(partsOf(bytes)) },
        ]);
      const [smaller, largest] = [await run(LARGEST / 10), await run(LARGEST)];
      const name = `${operation[0]?.toUpperCase()}${operation.slice(1)}LambdaFunction`;
      const { MemorySize } = resourceOf(template, name).Properties;
      measured.push({ title, operation, smaller, largest, megabytes: MemorySize });
    }
    return measured;
  });
  console.table(
    rows.map(({ title, operation, smaller, largest, megabytes }) => ({
      'a body of': title,
      function: operation,
      statuses: largest.statuses.join(' '),
      'CPU ms, 0.6 MB': Math.round(smaller.warmCpu),
      'CPU ms, 6 MB': Math.round(largest.warmCpu),
      'peak MB, 6 MB': Math.round(largest.megabytes),
      'MB of the function': megabytes,
    })),
  );
  return rows.every(
    ({ smaller, largest, megabytes }) =>
      largest.statuses.every((status) => status >= 400) &&
      largest.warmCpu < MOST_TIMES_LONGER * Math.max(smaller.warmCpu, LEAST_MS) &&
      largest.megabytes < megabytes,
  );
}
