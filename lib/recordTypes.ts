/** All that the operator's record tells of. */
export const RECORD_TYPES = [
  ...(['acquirer.created', 'acquirer.renamed', 'acquirer.limited', 'acquirer.disabled', 'acquirer.enabled'] as const),
  ...(['partnership.linked', 'partnership.unlinked'] as const),
  ...(['api_key.issued', 'api_key.rotated', 'api_key.revoked'] as const),
  ...(['reference_data.added', 'reference_data.removed'] as const),
  ...(['members.imported', 'member.erased', 'card.blocked', 'card.unblocked'] as const),
] as const;

export type RecordType = (typeof RECORD_TYPES)[number];
