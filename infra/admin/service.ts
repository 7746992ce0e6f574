/*
 * What commands use of the service. These modules read their settings when they are imported, so session.ts imports this
 * file, and only when the target has been set.
 */
export * from '../../lib/acquirer.ts';
export * from '../../lib/apiKey.ts';
export { listBranches } from '../../lib/branchList.ts';
export { KEPT_MS } from '../../lib/kept.ts';
export * from '../../lib/member.ts';
export { listReferences } from '../../lib/reference.ts';
export { secretText } from '../../lib/secret.ts';
export { getItem, TABLE, table } from '../../lib/table/client.ts';
export * from './selfCheckKey.ts';
