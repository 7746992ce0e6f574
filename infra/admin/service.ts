/*
 * The parts of the service that commands use. session.ts imports them lazily, so `--help` does not load the AWS SDK.
 */
export * from '../../lib/acquirer.ts';
export * from '../../lib/acquirerChanges.ts';
export * from '../../lib/apiKey.ts';
export { CACHE_MS } from '../../lib/base/cache.ts';
export { listBranches } from '../../lib/branchList.ts';
export * from '../../lib/keyring.ts';
export * from '../../lib/member.ts';
export * from '../../lib/memberRights.ts';
export { actAs } from '../../lib/operator.ts';
export { readRecord } from '../../lib/record.ts';
export { listReferences } from '../../lib/reference.ts';
export { secretText } from '../../lib/secret.ts';
export { getItem, table, tableName } from '../../lib/table/client.ts';
export { audit } from './audit/audit.ts';
export { INVARIANTS } from './audit/invariants.ts';
export { identify } from './identity.ts';
export * from './partnerEvents.ts';
export * from './selfCheckKey.ts';
