import type * as v from 'valibot';
import {
  type ApiOperation,
  isOfWebhooks,
  readyRequest,
  subjectOf,
  requestOf as validRequest,
} from '../../infra/publish/contract/calls.ts';
import { alphanumeric, mid, storedCode, storedText } from '../../lib/base/fields.ts';
import { branchItem } from '../../lib/branches/branch.ts';
import { masterMerchantItem } from '../../lib/branches/masterMerchant.ts';
import { terminalItem } from '../../lib/branches/terminal.ts';
import { FEED } from '../../lib/events/feed.ts';
import { addCard } from '../../lib/operator/memberImport.ts';
import { TRANSPORT } from '../../lib/webhooks/post.ts';
import { webhookItem } from '../../lib/webhooks/webhook.ts';
import { call, type Operation, type Request } from './api.ts';
import { newAcquirer, newWorld, unique, type World } from './world.ts';

/*
 * The valid requests of infra/publish/contract/calls.ts, for a new branch each.
 */

/** Fields that items and responses have under another name than requests. */
export const SHOWN_AS: Record<string, string> = { branch_name: 'merchant_name', reason: 'archive_reason' };
/** The reverse: the names in requests, by those in items and responses. */
const REQUESTED_AS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(SHOWN_AS).map(([requested, shown]) => [shown, requested])),
  name: 'master_merchant_name',
};

/** The request fields that are stored in attributes with one of these schemas. */
function fieldsStoredAs(...schemas: v.GenericSchema[]): string[] {
  const attributes = {
    ...branchItem.entries,
    ...masterMerchantItem.entries,
    ...terminalItem.entries,
    ...webhookItem.entries,
  };
  const names = Object.entries(attributes).filter(([, schema]) =>
    schemas.includes('wrapped' in schema ? schema.wrapped : schema),
  );
  return [...new Set(names.map(([name]) => REQUESTED_AS[name] ?? name))];
}

/** Fields whose value is any text that has no card number and no API key. */
export const FREE_TEXTS = fieldsStoredAs(storedText, storedCode);

/** Fields whose value is an identifier, which can be any digits. */
export const IDENTIFIERS = fieldsStoredAs(alphanumeric, mid);

const CALLER = { id: 'provider', type: 'PAYMENT_PROVIDER' } as const;
const bodyOf = (operation: ApiOperation) => validRequest(operation, subjectOf(unique(''), CALLER)).body as object;

/** A new branch with all its details, and a new master merchant with all of its own. Both acquirers are left out. */
export const branchBody = (more: object = {}) => ({
  ...bodyOf('createBranch'),
  payment_provider: undefined,
  terminals: undefined,
  ...more,
});

/** A new terminal with every field. */
export const terminalBody = (more: object = {}) => ({
  ...(bodyOf('createTerminals') as { terminals: [{ terminal_id: string }] }).terminals[0],
  ...more,
});

/** From now on in this file, whatever is posted to a webhook is accepted at once, and reaches nobody. */
export function acceptAllPosts(): void {
  TRANSPORT.send = async () => ({ status: 204, error: null, duration_ms: 1 });
}

/**
 * Creates what requests need. Each request that `requestOf` returns succeeds once; the payment provider sends it. An
 * acquirer has few webhooks, so each request about one is of an acquirer of its own.
 */
export async function newRequests(): Promise<{ world: World; requestOf: (operation: Operation) => Promise<Request> }> {
  const world = await newWorld();
  const { provider, distributor } = world;
  const newSubject = (caller = provider) => subjectOf(unique(''), { ...caller, partner: distributor.id });
  await addCard('anna', newSubject().card);
  FEED.horizonMs = 0;
  acceptAllPosts();
  const requestOf = async (operation: Operation): Promise<Request> => {
    const caller = isOfWebhooks(operation) ? await newAcquirer('PAYMENT_PROVIDER', 'Quickpay') : provider;
    const { key } = caller;
    if (operation === 'unknownRoute') return { key };
    const send = (each: ApiOperation, request: Request) => call(each, { key, ...request });
    return { key, ...(await readyRequest(operation, newSubject(caller), send)) };
  };
  return { world, requestOf };
}
