import { INDEX_DEFINITIONS } from './definitions.ts';
import type { Parameters } from './parameters.ts';

/** The entries whose value is on. */
const on = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).filter(([, each]) => each > 0));

/**
 * The properties of the table that only some stages have: ceilings, warm throughput and a key of one's own. They are not
 * in table.yml, because local tables are created from that file. An index has the same throughput as the table: one with
 * less would throttle the table's writes.
 */
export function table({ maxReadUnits, maxWriteUnits, warmReadUnits, warmWriteUnits, kmsKey }: Parameters) {
  const throughput = Object.fromEntries(
    Object.entries({
      OnDemandThroughput: on({ MaxReadRequestUnits: maxReadUnits, MaxWriteRequestUnits: maxWriteUnits }),
      WarmThroughput: on({ ReadUnitsPerSecond: warmReadUnits, WriteUnitsPerSecond: warmWriteUnits }),
    }).filter(([, each]) => Object.keys(each).length > 0),
  );
  const Properties = {
    ...throughput,
    ...(Object.keys(throughput).length > 0 && {
      GlobalSecondaryIndexes: INDEX_DEFINITIONS.map((index) => ({ ...index, ...throughput })),
    }),
    ...(kmsKey && { SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: kmsKey } }),
  };
  return Object.keys(Properties).length > 0 ? { extensions: { Table: { Properties } } } : {};
}
