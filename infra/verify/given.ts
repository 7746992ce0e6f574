import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { Stop, WRONG_USAGE } from '../admin/stop.ts';
import type { Given } from './stories.ts';

/** The keys of two acquirers that are partners of each other, in a file. */
const Keys = v.object({ provider: v.string(), distributor: v.string() });

/**
 * Finds out who two acquirers are by their keys.
 *
 * @param file JSON: `{ "provider": "<API key>", "distributor": "<API key>" }`.
 * @throws Stop if they are not a payment provider and a distributor that are partners.
 */
export async function withKeys(baseUrl: string, file: string): Promise<Given> {
  const keys = keysIn(file);
  const listed = async (key: string, method: string): Promise<{ key: string; text: string }[]> => {
    const response = await fetch(`${baseUrl}/ext/api/v1/lookup/${method}`, { headers: { 'api-key': key } });
    const { data, code } = (await response.json()) as { data?: { key: string; text: string }[]; code?: string };
    if (!data) throw new Stop(`The lookup ${method} responded with ${response.status} ${code}.`);
    return data;
  };
  // Of these two, one list has the caller itself, and the other its partners.
  const [provider, ...others] = await listed(keys.provider, 'paymentProviders');
  const [distributor, ...more] = await listed(keys.distributor, 'distributors');
  const partners = await listed(keys.provider, 'distributors');
  if (
    !provider ||
    !distributor ||
    others.length + more.length > 0 ||
    !partners.some(({ key }) => key === distributor.key)
  )
    throw wrong(file, 'of a payment provider and a distributor that are partners');
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

function keysIn(file: string): v.InferOutput<typeof Keys> {
  try {
    return v.parse(Keys, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw wrong(file, `as {"provider": "<key>", "distributor": "<key>"}: ${(error as Error).message}`);
  }
}

const wrong = (file: string, what: string): Stop =>
  new Stop(`Wrong usage: ${file} must have keys ${what}.`, WRONG_USAGE);
