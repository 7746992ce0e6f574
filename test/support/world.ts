import { randomUUID } from 'node:crypto';
import { type Acquirer, type AcquirerType, addReferenceData, linkPartners, putAcquirer } from '../../lib/acquirer.ts';
import { issueApiKey } from '../../lib/apiKey.ts';
import { call } from './api.ts';

/** An acquirer as its developer knows it: with the key it calls with. */
export type Caller = Acquirer & { key: string };

/** An alphanumeric id that no other test uses. */
export const unique = (prefix: string): string => prefix + randomUUID().replaceAll('-', '');

export async function newAcquirer(type: AcquirerType, name: string): Promise<Caller> {
  const acquirer = { id: randomUUID(), type, name };
  await putAcquirer(acquirer);
  await addReferenceData(acquirer, {
    paymentApps: ['Checkout Go', 'Counter Plus'],
    masterAcquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
  });
  return { ...acquirer, key: await issueApiKey(acquirer) };
}

/**
 * The acquirers that most tests need: a distributor with two partners, a payment provider that is not its partner, and
 * a distributor without partners.
 */
export async function newWorld() {
  const [distributor, provider, secondProvider, stranger, strangeDistributor] = await Promise.all([
    newAcquirer('DISTRIBUTOR', 'Northgate'),
    newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    newAcquirer('PAYMENT_PROVIDER', 'Quickpay'),
    newAcquirer('PAYMENT_PROVIDER', 'Trustcard'),
    newAcquirer('DISTRIBUTOR', 'Silverline'),
  ]);
  await linkPartners(distributor, provider);
  await linkPartners(distributor, secondProvider);
  return { distributor, provider, secondProvider, stranger, strangeDistributor };
}

/** Creates a branch over the API and returns what was answered; `body` overrides or adds fields. */
export async function newBranch(caller: Caller, body: Record<string, unknown> = {}) {
  const { status, body: answer } = await call('createBranch', {
    key: caller.key,
    body: { mid: unique('MID'), master_merchant_id: unique('MM'), ...body },
  });
  if (status !== 201) throw new Error(`The branch was not created: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Creates one terminal over the API and returns what was answered. */
export async function newTerminal(caller: Caller, mid: string, fields: Record<string, unknown> = {}) {
  const { status, body: answer } = await call('createTerminals', {
    key: caller.key,
    path: { id: mid },
    body: { terminals: [{ terminal_id: unique('T'), ...fields }] },
  });
  if (status !== 201) throw new Error(`The terminal was not created: ${JSON.stringify(answer)}`);
  return answer.data[0];
}
