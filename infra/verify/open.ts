import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { actAs } from '../../lib/record/operator.ts';
import { identify } from '../admin/identity.ts';
import { Stop, WRONG_USAGE } from '../admin/stop.ts';
import { sender } from '../contract/send.ts';
import type { Parties, Party } from './acquirers.ts';
import { MASTER_ACQUIRER, PAYMENT_APP } from './acquirers.ts';
import { Operator } from './operator.ts';
import type { Place } from './world.ts';

/** The keys of two acquirers that are partners of each other, in a file. */
const Keys = v.object({ provider: v.string(), distributor: v.string() });

type Access = Pick<Place, 'parties' | 'operator' | 'names'>;

/**
 * Registers the acquirers of a run, as an operator.
 *
 * @param inAws Whether the operator is an identity of AWS, rather than a user of this machine.
 */
export async function asOperator(inAws: boolean): Promise<Access & { operator: Operator }> {
  actAs(() => identify(inAws));
  const operator = new Operator();
  const names = { payment_app: PAYMENT_APP, acquirer_name: MASTER_ACQUIRER };
  return { operator, parties: await operator.open(), names };
}

/**
 * Finds out who two acquirers are by their keys.
 *
 * @param file JSON: `{ "provider": "<API key>", "distributor": "<API key>" }`.
 * @throws Stop if they are not a payment provider and a distributor that are partners.
 */
export async function withKeys(baseUrl: string, file: string): Promise<Access> {
  const keys = keysIn(file);
  const listed = async (key: string, method: string): Promise<{ key: string; text: string }[]> => {
    const response = await fetch(`${baseUrl}/ext/api/v1/lookup/${method}`, { headers: { 'api-key': key } });
    const { data, code } = (await response.json()) as { data?: { key: string; text: string }[]; code?: string };
    if (!data) throw new Stop(`The lookup ${method} responded with ${response.status} ${code}.`);
    return data;
  };
  // Of these two, one list has the caller itself, and the other its partners.
  const [own, partners] = [
    await listed(keys.provider, 'paymentProviders'),
    await listed(keys.distributor, 'distributors'),
  ];
  const [provider, distributor] = [own[0], partners[0]];
  const isPartner =
    own.length === 1 &&
    partners.length === 1 &&
    (await listed(keys.provider, 'distributors')).some(({ key }) => key === distributor?.key);
  if (!provider || !distributor || !isPartner)
    throw new Stop(
      `Wrong usage: ${file} must have the keys of a payment provider and a distributor that are partners.`,
      WRONG_USAGE,
    );
  const party = (type: Party['type'], { key: id, text: name }: typeof provider, full: string): Party => ({
    id,
    type,
    name,
    keys: { full },
  });
  const [app] = await listed(keys.provider, 'paymentApp');
  const [acquirer] = await listed(keys.provider, 'acquirers');
  if (!app || !acquirer)
    throw new Stop(`${provider.text} needs a payment app and a master acquirer that its terminals may have.`);
  const parties: Parties = {
    provider: party('PAYMENT_PROVIDER', provider, keys.provider),
    distributor: party('DISTRIBUTOR', distributor, keys.distributor),
  };
  return {
    parties,
    names: { payment_app: app.key, acquirer_name: acquirer.key },
    operator: 'it needs operator access: use --stage',
  };
}

function keysIn(file: string): v.InferOutput<typeof Keys> {
  try {
    return v.parse(Keys, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const { message } = error as Error;
    throw new Stop(
      `Wrong usage: ${file} must have {"provider": "<key>", "distributor": "<key>"}: ${message}.`,
      WRONG_USAGE,
    );
  }
}

/** Whether a stage has a console: otherwise its route is unknown, for which a key counts. */
export async function hasConsole(baseUrl: string): Promise<boolean> {
  const send = sender(baseUrl, baseUrl);
  const { body } = await send('getSession', { key: newApiKey(), session: undefined });
  return body.code === 'invalid_session';
}
