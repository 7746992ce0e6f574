/*
 * The parts of the service that operators use.
 */

export * from '../../../lib/acquirers/apiKey.ts';
export * from '../../../lib/acquirers/keyring.ts';
export { listReferences } from '../../../lib/acquirers/reference.ts';
export * from '../../../lib/acquirers/registry.ts';
export { CACHE_MS } from '../../../lib/base/cache.ts';
export { RESTED_MS } from '../../../lib/members/cardKeys.ts';
export { memberHashes } from '../../../lib/members/member.ts';
export * from '../../../lib/operator/acquirerChanges.ts';
export { rehash, rehashRestored, rotateCardKey } from '../../../lib/operator/cardKeyRotation.ts';
export * from '../../../lib/operator/memberImport.ts';
export * from '../../../lib/operator/members.ts';
export * from '../../../lib/operator/partnerships.ts';
export * from '../../../lib/operator/people.ts';
export * from '../../../lib/operator/referenceData.ts';
export * from '../../../lib/operator/repeatErasures.ts';
export * from '../../../lib/operator/webhooks.ts';
export { changeRole, invitePerson, listPeople, removePerson, revokeInvitation } from '../../../lib/people/people.ts';
export { actAs } from '../../../lib/record/operator.ts';
export { readRecord } from '../../../lib/record/record.ts';
export { getItem, table, tableName } from '../../../lib/table/client.ts';
export { readWebhooks } from '../../../lib/webhooks/webhook.ts';
export { audit, INVARIANTS } from './audit/audit.ts';
export * from './finders.ts';
export { identify } from './identity.ts';
export * from './partnerEvents.ts';
export * from './selfCheckKey.ts';
