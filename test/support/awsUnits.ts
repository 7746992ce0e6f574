import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { table } from '../../lib/table/client.ts';
import { capacityOf, missing } from '../bench/meter.ts';
import { imagesOf, keysOf, written } from '../bench/units.ts';

/*
 * From now on, the table reports the units that AWS charges. DynamoDB Local understates those of transactions and of
 * missing items: see test/bench/units.ts.
 */
table.middlewareStack.add(
  (next) => async (args) => {
    const { TransactItems } = args.input as Partial<TransactWriteCommandInput>;
    const keys = TransactItems?.some((item) => !('Get' in item)) ? keysOf(TransactItems) : [];
    const before = keys.length > 0 && (await imagesOf(keys));
    const result = await next(args);
    const { output } = result;
    const CapacityUnits = before
      ? written(before, await imagesOf(keys)).units
      : capacityOf(output) + missing(args.input, output);
    return { ...result, output: { ...output, ConsumedCapacity: [{ CapacityUnits }] } as never };
  },
  { step: 'initialize', priority: 'low', name: 'awsUnits' },
);
