import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resourceOf } from '../../infra/template/template.ts';
import { withPackage } from '../packaged/packaging.ts';
import { runInstance } from './instance.ts';
import type { Part } from './part.ts';
import { newAcquirer } from './world.ts';

export const timeouts: Part = {
  title: 'A table that never answers',
  about:
    'How long a partner waits for our own answer while the table takes connections and never says a word, measured with ' +
    'the packaged function of a list.',
  async measure() {
    const { key } = await newAcquirer('PAYMENT_PROVIDER');
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { measured, lambda, gateway } = await withPackage('prod', async ({ folder, template }) => ({
      measured: await runInstance(folder, 'listBranches', [{ key }], { AWS_ENDPOINT_URL_DYNAMODB }),
      lambda: resourceOf(template, 'ListBranchesLambdaFunction').Properties.Timeout,
      gateway: resourceOf(template, 'HttpApiIntegrationListBranches').Properties.TimeoutInMillis / 1000,
    }));
    silent.close();
    const seconds = Number(measured.seconds.toFixed(1));
    const status = measured.statuses.join(' ');
    const title = 'Who ends a call to a silent table';
    const rows = [
      { who: 'the function itself, with its own answer', 'after s': seconds },
      { who: 'Lambda', 'after s': lambda },
      { who: 'API Gateway', 'after s': gateway },
    ];
    return {
      tables: [{ title, rows }],
      chart: {
        title,
        unit: 's',
        kind: 'bars',
        categories: rows.map(({ who }) => who),
        series: [{ name: 'time', values: rows.map((row) => row['after s']) }],
      },
      targets: [
        { target: 'The answer is our own, a 400', measured: status, isMet: status === '400' },
        // It rests on our own timers rather than on the machine's speed.
        {
          target: 'It comes before Lambda ends the call, and Lambda ends it before API Gateway does',
          measured: `${seconds} s, ${lambda} s and ${gateway} s`,
          isMet: seconds < lambda && lambda < gateway,
        },
      ],
      counts: {},
    };
  },
};
