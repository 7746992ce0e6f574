import { logicalId } from './definitions.ts';

/** Has Lambda read a source for a function. */
export const mappingOf = (name: string, properties: object) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  // Lambda checks that the role may read the source, which is an inline policy of it.
  DependsOn: logicalId(name, 'Role'),
  Properties: { FunctionName: { Ref: logicalId(name, 'LambdaFunction') }, ...properties },
});

/**
 * Has Lambda read the changes of the table's stream that match a pattern. The ARN of the stream is in a parameter with the
 * table's name, so another table brings another stream.
 */
export const streamMappingOf = (name: string, pattern: object, properties: object) =>
  mappingOf(name, {
    EventSourceArn: `{{resolve:ssm:/\${self:custom.tableName}/\${param:table}/stream}}`,
    StartingPosition: 'TRIM_HORIZON',
    FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] },
    ...properties,
  });
