import { resourceOf } from '../../infra/template/template.ts';
import { withPackage } from '../packaged/packaging.ts';
import { BODIES, bodyOf, HUNGRIEST, LARGEST, LEAST_MS, MOST_TIMES_LONGER } from '../proofs/hostile/bodies.ts';
import { runInstance } from './instance.ts';
import type { Part } from './part.ts';
import { newAcquirer } from './world.ts';

export const bodies: Part = {
  title: 'The most expensive bodies',
  about:
    'CPU time and memory of packaged functions for the most expensive bodies that we know, at a tenth of the largest size ' +
    'that Lambda accepts and at that size. Each is sent to a fresh process, after a small request.',
  async measure() {
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
    const factors = rows.map(({ smaller, largest }) => largest.warmCpu / Math.max(smaller.warmCpu, LEAST_MS));
    const statuses = [...new Set(rows.flatMap(({ largest }) => largest.statuses))];
    return {
      tables: [
        {
          title: 'By body',
          rows: rows.map(({ title, operation, smaller, largest, megabytes }) => ({
            'a body of': title,
            function: operation,
            statuses: largest.statuses.join(' '),
            'CPU ms, 0.6 MB': Math.round(smaller.warmCpu),
            'CPU ms, 6 MB': Math.round(largest.warmCpu),
            'peak MB, 6 MB': Math.round(largest.megabytes),
            'MB of the function': megabytes,
          })),
        },
      ],
      chart: {
        title: 'CPU time to refuse a body',
        unit: 'CPU milliseconds',
        kind: 'bars',
        categories: rows.map(({ title }) => title),
        series: [
          { name: '0.6 MB', values: rows.map(({ smaller }) => Math.round(smaller.warmCpu)) },
          { name: '6 MB', values: rows.map(({ largest }) => Math.round(largest.warmCpu)) },
        ],
      },
      targets: [
        {
          target: 'All are refused',
          measured: statuses.join(' '),
          isMet: statuses.every((status) => status >= 400),
        },
        {
          target: 'None takes more memory than its function has',
          measured: `${Math.round(Math.max(...rows.map(({ largest }) => largest.megabytes)))} MB at most`,
          isMet: rows.every(({ largest, megabytes }) => largest.megabytes < megabytes),
        },
        {
          target: `Ten times the size takes less than ${MOST_TIMES_LONGER} times the CPU time (less than ${LEAST_MS} ms count as ${LEAST_MS} ms)`,
          measured: `${Math.max(...factors).toFixed(1)} times at most`,
          isMet: factors.every((factor) => factor < MOST_TIMES_LONGER),
          isTime: true,
        },
      ],
      counts: {},
    };
  },
};
