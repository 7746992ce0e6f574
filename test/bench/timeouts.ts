import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resourceOf } from '../../infra/template/template.ts';
import { templateOf } from '../packaged/packaging.ts';
import { eventOf } from '../support/invoke.ts';
import { runOperation, statusesOf } from './instance.ts';
import type { Part } from './part.ts';
import { newAcquirer } from './world.ts';

export const timeouts: Part = {
  title: 'A table that never responds',
  about:
    'How long a call takes while the table accepts connections but never responds, measured with the packaged function ' +
    'that lists branches.',
  async measure() {
    const { key } = await newAcquirer('PAYMENT_PROVIDER');
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const event = eventOf('listBranches', { key });
    const { calls } = await runOperation('listBranches', [event], { AWS_ENDPOINT_URL_DYNAMODB });
    silent.close();
    const template = await templateOf('prod');
    const lambda: number = resourceOf(template, 'ListBranchesLambdaFunction').Properties.Timeout;
    const gateway = resourceOf(template, 'HttpApiIntegrationListBranches').Properties.TimeoutInMillis / 1000;
    const seconds = Number((Number(calls[0]?.milliseconds) / 1000).toFixed(1));
    const status = statusesOf(calls).join(' ');
    const rows = [
      { who: 'the function, with its own response', 'after s': seconds },
      { who: 'Lambda', 'after s': lambda },
      { who: 'API Gateway', 'after s': gateway },
    ];
    return {
      tables: [{ title: 'What ends the call', rows }],
      targets: [
        { target: 'The function returns its own response, a 400', measured: status, isMet: status === '400' },
        // Depends on our own timers, not on the machine's speed.
        {
          target: "It does so before Lambda's timeout, which is before API Gateway's",
          measured: `${seconds} s, ${lambda} s and ${gateway} s`,
          isMet: seconds < lambda && lambda < gateway,
        },
      ],
      counts: {},
    };
  },
};
