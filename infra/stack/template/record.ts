import { recordOf } from '../../../lib/table/keys.ts';
import { logicalId, STAGE_NAME } from './definitions.ts';
import { type Parameters, RETENTIONS } from './parameters.ts';
import { KEPT } from './template.ts';

/** The log stream with the copy of the operator's record, in the log group with the stage's name. */
export const RECORD_STREAM = 'changes';

/** The pattern of changes of the operator's record. */
export const IS_RECORD = { dynamodb: { Keys: { pk: { S: [{ prefix: recordOf('').pk }] } } } };

/**
 * Passes on only changes of the operator's record ("Using event filtering with a DynamoDB event source"), one at a time and
 * in order. A change that cannot be copied is repeated, and holds up all later ones, until it leaves the stream, after 24
 * hours: an on-failure destination would get its position in the stream, not the change.
 *
 * The ARN of the stream is in a parameter with the table's name, so another table brings another stream.
 */
export const record = {
  Resources: {
    KeepRecordMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      // Lambda checks that the role may read the stream, which is an inline policy of it.
      DependsOn: logicalId('keepRecord', 'Role'),
      Properties: {
        EventSourceArn: `{{resolve:ssm:/\${self:custom.tableName}/\${param:table}/stream}}`,
        FunctionName: { Ref: logicalId('keepRecord', 'LambdaFunction') },
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 1,
        FilterCriteria: { Filters: [{ Pattern: JSON.stringify(IS_RECORD) }] },
      },
    },
  },
};

/**
 * The part of the data stack with the log of the copy. CloudWatch Logs has no request that changes a line; the log group is
 * retained like the table, and protected like it from being deleted (CloudWatch Logs User Guide, "Protecting log groups from
 * deletion").
 */
export const recordLog = ({ eventDays }: Pick<Parameters, 'eventDays'>) => ({
  Resources: {
    RecordLogGroup: {
      Type: 'AWS::Logs::LogGroup',
      ...KEPT,
      Properties: {
        LogGroupName: `/${STAGE_NAME}/record`,
        // At least as long as the record. None, which is for ever, if that is longer than CloudWatch Logs can count.
        RetentionInDays: RETENTIONS.find((days) => days >= eventDays),
        DeletionProtectionEnabled: `\${param:protection}`,
      },
    },
    RecordLogStream: {
      Type: 'AWS::Logs::LogStream',
      ...KEPT,
      Properties: { LogGroupName: { Ref: 'RecordLogGroup' }, LogStreamName: RECORD_STREAM },
    },
  },
});
