/** The beginnings of changes of an item that no invariant reports, by the reason. */
export const UNREPORTED: Record<string, string> = {
  'No other item has it.': `
    acquirer.api_keys[].created_at, acquirer.api_keys[].ends_with, acquirer.api_keys[].replaces other,
    acquirer.created_at early, acquirer.disabled_at early, acquirer.disabled_at late, acquirer.updated_at late, api_key_use.used_at, branch.terminals_changed_at, card.blocked_at,
    card.pseudo_token_hash unknown, erasure.id unknown, idempotency_key.body other, idempotency_key.fingerprint,
    idempotency_key.location other, idempotency_key.status, invitation.created_at, invitation.email unknown,
    invitation.role other, master_merchant.mcc, membership.browser_key, membership.joined_at, membership.role other, person.created_at,
    person.email, person.generation, person.name unknown, person.signed_in_at, rate_limit.taken, record.by,
    record.details, record.type, released.distributor removed, released.distributor unknown,
    released.payment_provider unknown, reward.import_id, reward.minimum_amount, reward.name unknown, session.auth_time,
    session.generation, session.started_at, session_use.used_at, membership_use.used_at, word_entry.since`,
  'It expires, and may be gone at any time.': `
    api_key_use removed, api_key_use.ttl, erasure removed, erasure.ttl, idempotency_key removed, idempotency_key.ttl,
    invitation removed, rate_limit removed, rate_limit.ttl, record removed, record.ttl, released removed, reward removed,
    session removed, session_use removed, session_use.ttl, membership_use removed, membership_use.ttl`,
  'Another one may well have that key.': `
    api_key_use copied at 1 unknown, erasure copied, idempotency_key copied at 2 unknown, invitation copied,
    master_acquirer copied, payment_app copied, rate_limit copied, record copied, released copied at 1 unknown, reward copied at 1 unknown,
    session copied at 1 unknown, session_use copied at 1 unknown, membership_use copied at 1 unknown,
    membership_use copied at 4 unknown`,
  'A terminal may never have been seen.': 'last_seen removed',
  'No other item names it.': 'master_acquirer removed, payment_app removed',
  'The order of API keys means nothing, nor does one that is listed twice.':
    'acquirer.api_keys twice, acquirer.api_keys swapped',
  'The API key may have been revoked since, or the person removed.':
    'event.body.by.key_id unknown, event.body.by.key_label unknown, event.body.by.person unknown',
  'A session may outlive its person, and does not count then.': 'session.person',
  'Only a response that created something has one.': 'idempotency_key.location removed',
  'The archiving that it was restored from has ended.': 'terminal.restored removed',
};
