/** The beginnings of changes of an item that no invariant reports, by the reason. */
export const UNREPORTED: Record<string, string> = {
  'No other item has it.': `
    acquirer.api_keys[].created_at, acquirer.api_keys[].ends_with, acquirer.api_keys[].replaces other,
    acquirer.created_at early, acquirer.disabled_at early, acquirer.disabled_at late, acquirer.updated_at late, api_key_use.used_at, branch.terminals_changed_at, card.blocked_at,
    card.pseudo_token_hash unknown, erasure.id unknown, idempotency_key.body other, idempotency_key.fingerprint,
    idempotency_key.location other, idempotency_key.status, invitation.created_at, invitation.email unknown,
    invitation.role other, kept_name.email, kept_name.name, master_merchant.mcc, membership.browser_key, membership.joined_at, membership.role other, person.created_at,
    person.email, person.generation, person.name unknown, person.signed_in_at, rate_limit.taken, record.by,
    record.details, record.type, released.distributor removed, released.distributor unknown,
    released.mid unknown, released.payment_provider unknown, reward.import_id, reward.minimum_amount, reward.name unknown, session.auth_time,
    session.generation, session.started_at, session_use.used_at, membership_use.used_at, word_entry.since`,
  'Only the webhook or the attempt itself has it.': `
    delivery.attempt more, delivery.duration_ms, delivery.error unknown, delivery.first_event unknown,
    delivery.last_event other, delivery.last_event unknown, delivery.next_attempt_at, delivery.page other,
    delivery.page unknown, delivery.status more, webhook.created_at early, webhook.cursor other,
    webhook.cursor unknown, webhook.delivers_in, webhook.description, webhook.due_at early,
    webhook.due_at late, webhook.failing_since early, webhook.failing_since late, webhook.id other, webhook.id unknown,
    webhook.is_slow other, webhook.latest_attempt, webhook.lease removed, webhook.lease.ends_at early,
    webhook.lease.id unknown, webhook.missed_before, webhook.next_attempt_at, webhook.page removed, webhook.page.attempt more,
    webhook.page.events, webhook.page.first unknown, webhook.page.id other, webhook.page.id unknown, webhook.page.last,
    webhook.secrets other, webhook.secrets[] other, webhook.secrets[].sealed other, webhook.secrets[].sealed unknown,
    webhook.updated_at late, webhook.url other, webhook.url unknown`,
  'Only the refused request itself has it.': `
    refused_request.duration_ms, refused_request.errors other, refused_request.errors removed,
    refused_request.errors less, refused_request.errors twice, refused_request.errors[].code unknown,
    refused_request.errors[].pointer unknown, refused_request.key_id, refused_request.key_label, refused_request.mid,
    refused_request.operation, refused_request.person, refused_request.tid, refused_request.times more,
    refused_request.validate_only, refused_request.weight more`,
  'It may have been deleted.': 'webhook removed',
  'It expires, and may be gone at any time.': `
    api_key_use removed, delivery removed, refused_request removed, api_key_use.ttl, erasure removed, erasure.ttl, idempotency_key removed, idempotency_key.ttl,
    invitation removed, kept_name removed, kept_name.ttl, rate_limit removed, rate_limit.ttl, record removed, record.ttl, released removed, reward removed,
    session removed, session_use removed, session_use.ttl, membership_use removed, membership_use.ttl`,
  'Another one may well have that key.': `
    api_key_use copied at 1 unknown, delivery copied at 1, delivery copied at 3 unknown, refused_request copied at 1, erasure copied, idempotency_key copied at 2 unknown, invitation copied,
    kept_name copied, master_acquirer copied, payment_app copied, rate_limit copied, record copied, released copied at 1 unknown, reward copied at 1 unknown,
    session copied at 1 unknown, webhook copied at 1 other, webhook copied at 4 other, session_use copied at 1 unknown, membership_use copied at 1 unknown,
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
