import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Send } from '../../publish/contract/send.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { patient } from './replay.ts';
import type { Given } from './stories.ts';

/** The keys of two acquirers that are partners of each other. */
const Keys = v.pipe(v.string(), v.parseJson(), v.object({ provider: v.string(), distributor: v.string() }));

/**
 * Finds out who two acquirers are by their keys.
 *
 * @param file JSON: `{ "provider": "<API key>", "distributor": "<API key>" }`.
 * @throws Stop if they are not a payment provider and a distributor that are partners.
 */
export async function withKeys(send: Send, file: string): Promise<Given> {
  const { success, output: keys } = v.safeParse(Keys, readFileSync(file, 'utf8'));
  const unusable = `Wrong usage: ${file} must be {"provider": "<key>", "distributor": "<key>"}, with keys of two partners.`;
  if (!success) throw new Stop(unusable, WRONG_USAGE);
  const listed = async (key: string, method: string): Promise<{ key: string; text: string }[]> => {
    const { status, body } = await patient(send, 'lookup', { key, path: { method } });
    if (status !== 200) throw new Stop(`The lookup ${method} responded with ${status} ${body.code}.`);
    return body.data;
  };
  // A list of the caller's own kind has only itself, and the other one its partners.
  const [provider, ...others] = await listed(keys.provider, 'paymentProviders');
  const [distributor, ...more] = await listed(keys.distributor, 'distributors');
  const partners = await listed(keys.provider, 'distributors');
  const arePartners = partners.some(({ key }) => key === distributor?.key);
  if (!provider || !distributor || others.length + more.length > 0 || !arePartners)
    throw new Stop(unusable, WRONG_USAGE);
  const [app] = await listed(keys.provider, 'paymentApp');
  const [acquirer] = await listed(keys.provider, 'acquirers');
  if (!app || !acquirer)
    throw new Stop(`${provider.text} needs a payment app and a master acquirer that its terminals may have.`);
  return {
    acquirers: {
      payfair: { id: provider.key, type: 'PAYMENT_PROVIDER', name: provider.text },
      northgate: { id: distributor.key, type: 'DISTRIBUTOR', name: distributor.text },
    },
    keys: { payfair: keys.provider, northgate: keys.distributor },
    names: new Map([
      ['Checkout Go', app.key],
      ['Atlantic Acquiring', acquirer.key],
    ]),
  };
}
