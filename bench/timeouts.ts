import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { withPackage } from '../infra/packaged/packaging.ts';
import { resourceOf } from '../infra/packaged/template.ts';
import { runInstance } from './instance.ts';
import { newAcquirer } from './world.ts';

/** How long a partner waits for our own answer while the table takes connections and never says a word. */
export async function timeouts(): Promise<boolean> {
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
  console.table([{ 'answered after (s)': seconds, 'Lambda ends after (s)': lambda, 'API Gateway after (s)': gateway }]);
  return measured.statuses.join() === '400' && seconds < lambda && lambda < gateway;
}
