import type { operations as PartnersOperations } from '../../../../../docs/client/schema.d.ts';
import type { Schemas } from '../../api/client.ts';
import type { operations as ConsoleOperations } from '../../api/schema.d.ts';
import { fieldName } from '../../fields/wording.ts';
import type { RefusedRequest } from '../../resources/data.ts';
import { ownValue } from '../../shared/address.ts';
import { capitalized } from '../../shared/format.ts';

/** Partners receive the events of webhooks themselves. */
type Operation = Exclude<keyof PartnersOperations, 'receiveEvents'> | keyof ConsoleOperations;

/** What an operation does, after “tried to”. */
export const OPERATIONS: Record<Operation, string> = {
  listBranches: 'list branches',
  createBranch: 'create a branch',
  getBranch: 'read {branch}',
  updateBranch: 'change {branch}',
  getBranchHistory: 'read the history of {branch}',
  archiveBranch: 'archive {branch}',
  restoreBranch: 'restore {branch}',
  listAllTerminals: 'list all terminals',
  listTerminals: 'list the terminals of {branch}',
  createTerminals: 'create terminals in {branch}',
  updateTerminal: 'change {terminal}',
  deleteTerminal: 'delete {terminal}',
  archiveTerminal: 'archive {terminal}',
  restoreTerminal: 'restore {terminal}',
  reassignTerminal: 'move {terminal}',
  getTerminalHistory: 'read the history of {terminal}',
  lookup: 'look up reference data',
  getCaller: 'ask whose key it is',
  find: 'find a terminal or a branch',
  listEvents: 'read the feed of events',
  createWebhook: 'create a webhook',
  listWebhooks: 'list webhooks',
  getWebhook: 'read {webhook}',
  updateWebhook: 'change {webhook}',
  deleteWebhook: 'delete {webhook}',
  rotateWebhookSecret: 'rotate the secret of {webhook}',
  testWebhook: 'test {webhook}',
  rewindWebhook: 'rewind {webhook}',
  listDeliveries: 'list the deliveries of {webhook}',
  listRefusedRequests: 'list refused requests',
  getRefusedRequest: 'read a refused request',
  memberCheck: 'check a member',
  getSession: 'read their session',
  signOut: 'sign out',
  listKeys: 'list API keys',
  createKey: 'create an API key',
  rotateKey: 'rotate an API key',
  revokeKey: 'revoke an API key',
  listPeople: 'list people',
  invitePerson: 'invite a person',
  revokeInvitation: 'revoke an invitation',
  removePerson: 'remove a person',
  changePerson: 'change the role of a person',
  leave: 'leave',
  search: 'search terminals and branches',
  listLastSeen: 'read when terminals were last seen',
  listActivity: 'read the activity',
  listAccessChanges: 'read who changed keys, people and webhooks',
};

/** What is said of an operation that this version does not know, or that does not exist. */
export const actionOf = (operation: string | null): string =>
  operation === null
    ? 'use an operation that does not exist'
    : (ownValue<string>(OPERATIONS, operation) ?? `use ${operation}`);

type Known<Text> = Text extends string ? (string extends Text ? never : Text) : never;

/** Why a request is refused, by code: all that operations respond with to a known caller. */
export const REASONS: Partial<Record<Known<RefusedRequest['code']>, string>> = {
  insufficient_permission: 'the role does not permit it',
  rate_limited: 'there were more requests than the rate limit allows',
  invalid_query: 'a parameter after the “?” of the address is not valid',
  cursor_expired: 'the cursor is too old',
  invalid_idempotency_key: 'the Idempotency-Key is not valid',
  body_too_large: 'the body is larger than 256 KB',
  malformed_json: 'the body is not valid JSON',
  idempotency_key_reused: 'another request had the same Idempotency-Key',
  not_found: 'there is nothing with this ID that is accessible to you',
  precondition_failed: 'somebody had changed it meanwhile',
  not_under_requesting_psp: 'it is at a branch that is not accessible to you',
  partnership_ended: 'the partnership with the payment provider has ended',
  already_archived: 'it was archived already',
  not_archived: 'it was not archived',
  branch_archived: 'the branch is archived',
  already_under_target_mid: 'it was at that branch already',
  too_many_terminals: 'the branch would have more than 1,000 terminals',
  too_many_webhooks: 'there can be no more webhooks',
  validation_failed: 'a field is not right',
  server_error: 'something went wrong on our side',
  sign_in_again: 'the sign-in was more than 15 minutes ago',
  last_admin: 'there would be no admin left',
};

/** What is wrong with a field, by the code of its error. */
const FAULTS: Record<Known<NonNullable<Schemas['Problem']['errors']>[number]['code']>, string> = {
  required: 'is missing',
  invalid_type: 'is of the wrong type, such as a number in place of a text',
  invalid_format: 'is not in the expected form',
  too_short: 'is empty',
  too_long: 'is too long',
  too_small: 'is too small',
  too_large: 'is too large',
  duplicate: 'is there twice',
  taken: 'is taken',
  differs: 'is not the one that the business has',
  not_found: 'does not exist',
  not_a_partner: 'is not a partner',
  not_yourself: 'names yourself',
  card_number: 'looks like a card number',
  api_key: 'has an API key in it',
  unknown_field: 'has a field that does not exist',
  idempotency_key_reused: 'is not that of the first request with this Idempotency-Key',
};

/** What a field error says to a person, such as `the serial number is taken`. */
export const faultText = ({ pointer, code }: RefusedRequest['errors'][number]): string =>
  `the ${fieldName(pointer.split('/').at(-1) ?? '')} ${ownValue<string>(FAULTS, code) ?? `is refused (${code})`}`;

/** Why a request was refused: by its first field error, if it has any. */
export function reasonOf({ operation, code, errors: [error] }: RefusedRequest): string {
  if (error) return faultText(error);
  if (operation === null) return 'nothing has this method and path';
  return ownValue<string>(REASONS, code) ?? `the code is ${code}`;
}

/** A code in words, as the page of the docs about it begins. */
export const titleOf = (code: string): string => capitalized(code.replaceAll('_', ' ')).replace('json', 'JSON');

const UNNAMED: Record<string, string> = { branch: 'a branch', terminal: 'a terminal', webhook: 'a webhook' };

/** What an operation does, in a list of all. */
export const operationTitle = (action: string): string =>
  capitalized(action.replace(/\{(\w+)\}/g, (_, thing: string) => UNNAMED[thing] ?? thing));
