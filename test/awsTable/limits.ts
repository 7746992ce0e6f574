import { bytesOf, type Image, type IndexQuery } from './requests.ts';

/*
 * The limits that AWS enforces and DynamoDB Local does not. Local enforces the others: sizes of expressions, placeholders
 * and substituted values, operators, operands of IN, keys of writes and gets, items, the items of a request, and the
 * sizes of a request, of a transaction's content, of a Query page and of a BatchGetItem response.
 */

const KB = 1024;

/**
 * BatchGetItem returns at most this of one partition, and the rest as unprocessed keys (DynamoDB API reference,
 * BatchGetItem: "more than 1MB per partition is requested"). An item is smaller, so each partition returns one.
 */
export const BATCH_BYTES = KB * KB;

/**
 * Returns why AWS rejects a transaction with these stored items: together they have at most 4 MB (DynamoDB API reference,
 * TransactWriteItems). Local ignores the stored items that are updated, deleted or checked.
 */
export function transactionFault(images: Image[]): string | undefined {
  const bytes = images.reduce((sum, image) => sum + bytesOf(image), 0);
  return bytes > 4 * KB * KB ? `Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}` : undefined;
}

/**
 * Returns why AWS rejects a query, if DynamoDB Local does not (DynamoDB Developer Guide, "Constraints in Amazon DynamoDB").
 * Local accepts partition keys of any size, and never receives queries of an index.
 */
export function queryFault(input: Partial<IndexQuery>, partition: string): string | undefined {
  const { KeyConditionExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = input;
  if (input.IndexName !== undefined) {
    const size = Buffer.byteLength(KeyConditionExpression);
    if (size > 4 * KB)
      return `Invalid KeyConditionExpression: Expression size has exceeded the maximum allowed size; expression size: ${size}`;
    for (const [kind, map] of Object.entries({ ExpressionAttributeNames, ExpressionAttributeValues }))
      if (Object.keys(map).some((key) => Buffer.byteLength(key) > 255))
        return `${kind} contains invalid key: The expression attribute map contains a key that is too long`;
  }
  const parameters = 'One or more parameter values were invalid';
  if (Buffer.byteLength(partition) > 2 * KB)
    return `${parameters}: Size of hashkey has exceeded the maximum size limit of2048 bytes`;
  const sorts = Object.values(ExpressionAttributeValues).filter(({ S }) => S !== partition);
  if (input.IndexName !== undefined && sorts.some((value) => bytesOf({ '': value }) > KB))
    return `${parameters}: Aggregated size of all range keys has exceeded the size limit of 1024 bytes`;
  return undefined;
}
