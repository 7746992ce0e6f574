import { STAGE_NAME } from './definitions.ts';
import { assumedBy, sub } from './iam.ts';
import type { Parameters } from './parameters.ts';
import { TABLE_ARN } from './roles.ts';
import { KEPT } from './template.ts';

/** AWS's own policies of the role, "Managed policies for AWS Backup" (AWS Backup Developer Guide). */
const POLICIES = ['AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForRestores'];

/**
 * The part of the data stack that backs up the table in use, and copies each backup to a vault elsewhere, which should be locked.
 * Empty without such a vault. DynamoDB's backups are always full ones, so what they cost grows with the table.
 */
export function backup({ backupVault, backupSchedule, backupDays: DeleteAfterDays }: Parameters) {
  if (!backupVault) return {};
  return {
    Resources: {
      BackupVault: { Type: 'AWS::Backup::BackupVault', ...KEPT, Properties: { BackupVaultName: STAGE_NAME } },
      BackupRole: {
        Type: 'AWS::IAM::Role',
        Properties: {
          // `npm run recover` also restores with it, in any Region.
          RoleName: `${STAGE_NAME}-backup`,
          AssumeRolePolicyDocument: assumedBy('backup'),
          ManagedPolicyArns: POLICIES.map((name) => sub(`arn:\${AWS::Partition}:iam::aws:policy/service-role/${name}`)),
        },
      },
      BackupPlan: {
        Type: 'AWS::Backup::BackupPlan',
        Properties: {
          BackupPlan: {
            BackupPlanName: STAGE_NAME,
            BackupPlanRule: [
              {
                RuleName: 'table',
                TargetBackupVault: { Ref: 'BackupVault' },
                ScheduleExpression: backupSchedule,
                Lifecycle: { DeleteAfterDays },
                CopyActions: [{ DestinationBackupVaultArn: backupVault, Lifecycle: { DeleteAfterDays } }],
              },
            ],
          },
        },
      },
      BackupSelection: {
        Type: 'AWS::Backup::BackupSelection',
        Properties: {
          BackupPlanId: { Ref: 'BackupPlan' },
          BackupSelection: {
            SelectionName: 'table',
            IamRoleArn: { 'Fn::GetAtt': ['BackupRole', 'Arn'] },
            Resources: [sub(TABLE_ARN)],
          },
        },
      },
    },
  };
}
