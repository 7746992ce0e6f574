/** Types of events in the operator's record. */
export const RECORD_TYPES = [
  'acquirer.created',
  'acquirer.renamed',
  'acquirer.limited',
  'acquirer.disabled',
  'acquirer.enabled',
  'partnership.linked',
  'partnership.unlinked',
  'api_key.issued',
  'api_key.rotated',
  'api_key.revoked',
  'person.invited',
  'invitation.revoked',
  'person.joined',
  'person.role_changed',
  'person.removed',
  'person.signed_out',
  // After a restore: infra/operate/recovery/rights.ts.
  'right.lowered',
  'right.revoked',
  'reference_data.added',
  'reference_data.removed',
  'members.imported',
  'member.erased',
  'card.blocked',
  'card.unblocked',
  'card_key.rotated',
  'cards.rehashed',
] as const;

export type RecordType = (typeof RECORD_TYPES)[number];
