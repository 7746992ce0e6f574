import { recordOf } from '../../../lib/table/keys.ts';
import { STAGE_NAME } from './definitions.ts';
import { streamMappingOf } from './mappings.ts';
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
 */
export const record = {
  Resources: {
    KeepRecordMapping: streamMappingOf('keepRecord', IS_RECORD, { BatchSize: 1 }),
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
