import { issueApiKey, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../support/invoke.ts';
import { type Caller, unique } from '../support/world.ts';

/** Runs some work with a new API key of an acquirer, which may have only twenty. */
export async function withNewKey<T>({ id }: Caller, work: (key: string) => Promise<T>): Promise<T> {
  const { api_key, key_id } = await issueApiKey(id, 'bench');
  const result = await work(api_key);
  await revokeApiKey(id, key_id);
  return result;
}

/** The status of an operation that succeeds. */
export const successOf = (operation: Operation): number => (operation.startsWith('create') ? 201 : 200);

/** Calls an operation, with what the process has cached. Any other status than the expected one fails the test. */
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
