import { randomUUID } from 'node:crypto';
import type { AcquirerType } from '../../lib/acquirers/acquirer.ts';
import { issueApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../lib/acquirers/registry.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { masterMerchantUuidOf, tidOf } from '../../lib/table/keys.ts';
import type { ApiResponse, Operation, Request } from './api.ts';
import { copied } from './copied.ts';
import '../../infra/local/patient.ts';

/*
 * Acquirers, and names for the ids of their branches and terminals. A request that is written with names, such as
 * `<M1>`, can be sent in every world.
 */

export type CastName = 'D1' | 'D2' | 'P1' | 'P2' | 'P3';

/** Only some are partners. */
export const CAST: Record<CastName, { type: AcquirerType; partners: CastName[] }> = {
  D1: { type: 'DISTRIBUTOR', partners: ['P1', 'P2'] },
  D2: { type: 'DISTRIBUTOR', partners: ['P2'] },
  P1: { type: 'PAYMENT_PROVIDER', partners: ['D1'] },
  P2: { type: 'PAYMENT_PROVIDER', partners: ['D1', 'D2'] },
  P3: { type: 'PAYMENT_PROVIDER', partners: [] },
};
const CAST_NAMES = Object.keys(CAST) as CastName[];

const newCast = copied(async () => {
  const register = async (name: CastName) => {
    const id = randomUUID();
    await createAcquirer({ id, type: CAST[name].type, name });
    await addReferenceData(id, 'PAYMENT_APPS', ['Counter Plus']);
    return [name, { id, key: (await issueApiKey(id, 'cast')).api_key }] as const;
  };
  const cast = Object.fromEntries(await Promise.all(CAST_NAMES.map(register))) as Record<CastName, Registered>;
  for (const name of ['D1', 'D2'] as const)
    for (const provider of CAST[name].partners) await linkPartners(cast[name].id, cast[provider].id);
  return cast;
});
type Registered = { id: string; key: string };

/** Sends a request to the service. */
export type Send = (operation: Operation, request: Request) => Promise<ApiResponse>;

export interface World {
  /** The API key of each acquirer's requests. */
  callers: Map<string, Pick<Request, 'key'>>;
  /** The values of names: acquirers, 5 branches, 6 terminals, 2 serial numbers and a master merchant. */
  names: Map<string, string>;
}

let worlds = 0;

/** Registers the acquirers of a new world. No other world of the process has ids with its prefix. */
export async function newWorld(): Promise<World> {
  const prefix = `W${++worlds}`;
  const cast = await newCast();
  const names = new Map<string, string>(CAST_NAMES.map((name) => [name, cast[name].id]));
  for (const name of ['M1', 'M2', 'M3', 'M4', 'M5', 'S1', 'S2', 'B1']) names.set(name, prefix + name);
  for (const name of ['T1', 'T2', 'T3', 'T4', 'T5', 'T6'])
    names.set(name, prefix + name).set(name.replace('T', 'tid'), tidOf(prefix + name));
  names.set('P1.B1', masterMerchantUuidOf(cast.P1.id, `${prefix}B1`));
  return { callers: new Map(Object.values(cast).map(({ id, key }) => [id, { key }])), names };
}

/** Replaces `<names>` by their values at any depth. */
export function filled<T>(value: T, names: Map<string, string>): T {
  if (value === undefined) return value;
  const text = JSON.stringify(value).replace(/<([\w.]+)>/g, (_, name) => {
    const meaning = names.get(name);
    if (meaning === undefined) throw new Error(`No value has the name ${name}.`);
    return meaning;
  });
  return JSON.parse(text);
}
