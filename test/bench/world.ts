import { randomUUID } from 'node:crypto';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { issueApiKey, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../lib/acquirers/registry.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../support/invoke.ts';

/** A unique alphanumeric id. */
export const unique = (prefix: string): string => prefix + randomUUID().replaceAll('-', '');

/** An acquirer of the bench, and its API key. */
export type Caller = Acquirer & { key: string };

/** A new acquirer of the bench, with its payment app and master acquirer. */
export async function newAcquirer(type: Acquirer['type']): Promise<Caller> {
  const acquirer = { id: randomUUID(), type, name: `Bench ${type}` };
  await createAcquirer(acquirer);
  await addReferenceData(acquirer.id, 'PAYMENT_APPS', ['Checkout Go']);
  await addReferenceData(acquirer.id, 'MASTER_ACQUIRERS', ['Atlantic Acquiring']);
  return { ...acquirer, key: (await issueApiKey(acquirer.id, 'bench')).api_key };
}

/** A distributor and a payment provider that are partners. */
export async function newPartners() {
  const [distributor, provider] = await Promise.all([newAcquirer('DISTRIBUTOR'), newAcquirer('PAYMENT_PROVIDER')]);
  await linkPartners(distributor.id, provider.id);
  return { distributor, provider };
}

/** Runs some work with a new API key of an acquirer, which may have only twenty. */
export async function withNewKey<T>({ id }: Caller, work: (key: string) => Promise<T>): Promise<T> {
  const { api_key, key_id } = await issueApiKey(id, 'bench');
  const result = await work(api_key);
  await revokeApiKey(id, key_id);
  return result;
}

/** The status of an operation that succeeds. */
export const successOf = (operation: Operation): number => (operation.startsWith('create') ? 201 : 200);

/** Calls an operation. Any other status than the expected one fails the test. */
export async function call(
  operation: Operation,
  request: Request,
  status = successOf(operation),
): Promise<ApiResponse> {
  const response = await invoke(operation, eventOf(operation, request));
  if (response.status !== status) throw new Error(`${operation}: ${response.status} ${JSON.stringify(response.body)}`);
  return response;
}

/** The required fields of a payment provider's new branch. */
export const plainBranch = () => ({ mid: unique('M'), master_merchant_id: unique('MM') });

/** The other fields of a branch. */
export const NAMES = {
  branch_name: 'Harbour Café',
  area: 'Docks',
  city: 'Porto',
  master_merchant_name: 'Harbour Cafés',
};

/** A terminal to create, with all its fields. */
export const fullTerminal = () => ({
  terminal_id: unique('T'),
  serial_no: unique('S'),
  terminal_model: 'Countertop 3',
  payment_app: 'Checkout Go',
  acquirer_name: 'Atlantic Acquiring',
});

export const newBranch = async ({ key }: Pick<Caller, 'key'>, more: object = {}) =>
  (await call('createBranch', { key, body: { ...plainBranch(), ...more } })).body.data;
