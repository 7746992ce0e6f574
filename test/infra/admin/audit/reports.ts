/** The beginnings of changes of an item that no invariant reports, by the reason. */
export const UNREPORTED: Record<string, string> = {
  'No other item has it.': `
    acquirer.api_keys[].created_at, acquirer.created_at early, acquirer.disabled_at early, acquirer.disabled_at late,
    acquirer.updated_at late, api_key_use.used_at, branch.terminals_changed_at, card.blocked_at,
    card.pseudo_token_hash unknown, erasure.id unknown, idempotency_key.body other, idempotency_key.fingerprint,
    idempotency_key.location other, idempotency_key.status, invitation.created_at, invitation.email unknown,
    invitation.role other, master_merchant.mcc, membership.joined_at, membership.role other, person.created_at,
    person.email, person.generation, person.name unknown, person.signed_in_at, rate_limit.taken, record.by,
    record.details, record.type, reward.import_id, reward.minimum_amount, reward.name unknown, session.auth_time,
    session.generation, session.started_at, session_use.used_at, word_entry.since`,
  'It expires, and may be gone at any time.': `
    api_key_use removed, api_key_use.ttl, erasure removed, erasure.ttl, idempotency_key removed, idempotency_key.ttl,
    invitation removed, rate_limit removed, rate_limit.ttl, record removed, record.ttl, reward removed,
    session removed, session_use removed, session_use.ttl`,
  'Another one may well have that key.': `
    api_key_use copied at 1 unknown, erasure copied, idempotency_key copied at 2 unknown, invitation copied,
    master_acquirer copied, payment_app copied, rate_limit copied, record copied, reward copied at 1 unknown,
    session copied at 1 unknown, session_use copied at 1 unknown`,
  'No other item names it.': 'master_acquirer removed, payment_app removed',
  'The order of API keys means nothing, nor does one that is listed twice.':
    'acquirer.api_keys twice, acquirer.api_keys swapped',
  'The API key may have been revoked since, or the person removed.':
    'event.body.by.key_id unknown, event.body.by.key_label unknown, event.body.by.person unknown',
  'A session may outlive its person, and does not count then.': 'session.person',
  'A version without the time to live has stored it.': 'reward.ttl removed',
  'Only a response that created something has one.': 'idempotency_key.location removed',
  'The archiving that it was restored from has ended.': 'terminal.restored removed',
};

/** A detail of a violation without values, which have digits or come before and after `expected`. */
export const withoutValues = (detail: string): string =>
  detail
    .replace(/^(Missing or invalid:|Expected) .*/s, '$1 ….')
    .replace(/is [^;]*; expected .*\.$/s, 'is …; expected ….')
    .replace(/ in \w+(, \w+)+\.$/, ' in … and ….')
    .replace(/(last event(?: is|,)) \S+/, '$1 …')
    .replace(/[^\s,;()]*\d[^\s,;()]*?(?=\.?([\s,;()]|$))/g, '…');

/** All that each invariant reports, without values. */
export const SENTENCES: Record<string, string[]> = {
  known_kind: ['No kind of item has such a key.'],
  form: ['Missing or invalid: ….'],
  key: ['Expected ….'],
  hashed: ['Its pk does not end with a hash.'],
  index_keys: [
    'It has a branch_history, which puts it into an index.',
    'It has a branch_order, which puts it into an index.',
    'It has a provider_position, which puts it into an index.',
    'It has a terminal_history, which puts it into an index.',
  ],
  updated_at: ['Its updated_at … is before its created_at ….'],
  rate_limit_owner: ['Its owner is invalid for the share people.', 'Its owner is invalid for the share sign-ins.'],
  registered: ['There is no acquirer ….'],
  provider_link: [
    'Its name differs from that of the acquirer ….',
    'The acquirer … has no link back.',
    'There is no PAYMENT_PROVIDER ….',
  ],
  distributor_link: [
    'Its name differs from that of the acquirer ….',
    'The acquirer … has no link back.',
    'There is no DISTRIBUTOR ….',
  ],
  key_id: ['Its key_id is …; expected ….'],
  listed_key_id: ['It lists the key_id …; expected ….'],
  api_key_ttl: ['Its ttl is …; expected ….'],
  api_key_listed: ['The acquirer … does not list it.'],
  api_key_alike: [
    'It differs from the acquirer … in burst.',
    'It differs from the acquirer … in expires_at.',
    'It differs from the acquirer … in key_id.',
    'It differs from the acquirer … in label.',
    'It differs from the acquirer … in name.',
    'It differs from the acquirer … in rate.',
    'It differs from the acquirer … in role.',
    'It differs from the acquirer … in type.',
    'It differs from the acquirer … in … and ….',
  ],
  api_key_disabled: ['The acquirer … has been disabled since ….'],
  api_key_stored: ['It lists the API key …, which has no item.'],
  branch_acquirers: ['There is no DISTRIBUTOR ….', 'There is no PAYMENT_PROVIDER ….'],
  distributor_position: [
    'It has a distributor_position and no distributor.',
    'It has the distributor … and no distributor_position.',
  ],
  branch_count: ['In the list of …, the count is …; expected ….'],
  branch_ranks: [
    'In the list of …, its rank … is also the rank of ….',
    'In the list of …, its rank … is beyond the count ….',
  ],
  branch_unranked: [
    'In the list of …, it has neither a rank nor an entry.',
    'In the list of …, its position is …; expected ….',
  ],
  branch_words: [
    'The search entries of … …, expected none.',
    'The search entries of … …, expected ….',
    'The search entries of … …, some with wrong words or attributes.',
  ],
  branch_list_entry: [
    'In the list of …, the branch … is ranked, and not by the last seal.',
    'In the list of …, the branch … was created at ….',
    'In the list of …, there is no branch ….',
  ],
  branch_list_sealed: [
    'In the list of …, it names no branch.',
    'In the list of …, it names … as rank ….',
    'In the list of …, its sealed_to … is before …, the entry of rank ….',
  ],
  branch_times: [
    'It has only one of restored_from and restored_at.',
    'Its archived_at … is before its created_at ….',
    'Its archived_at … is before its restored_at ….',
    'Its archived_at … is before its restored_from ….',
    'Its restored_at … is before its restored_from ….',
    'Its restored_from … is before its created_at ….',
    'Its updated_at … is before its archived_at ….',
    'Its updated_at … is before its created_at ….',
    'Its updated_at … is before its restored_at ….',
    'Its updated_at … is before its restored_from ….',
  ],
  branch_master_merchant: [
    'It differs from its master merchant in master_merchant_id.',
    'It differs from its master merchant in name.',
    'It differs from its master merchant in payment_provider.',
    'It differs from its master merchant in … and ….',
    'There is no master merchant ….',
  ],
  branch_master_merchant_entry: ['The acquirer … does not have the master merchant … in its lookup.'],
  master_merchant_words: [
    'The search entries of … …, expected none.',
    'The search entries of … …, expected ….',
    'The search entries of … …, some with wrong words or attributes.',
  ],
  master_merchant_uuid: ['Its uuid is …; expected ….'],
  master_merchant_provider: ['There is no PAYMENT_PROVIDER ….'],
  master_merchant_listed: ['The payment provider … does not have it in its lookup.'],
  master_merchant_entry: [
    'Its master_merchant_id is …; expected ….',
    'Its name is …; expected ….',
    'Its payment_provider is …; expected ….',
    'There is no master merchant ….',
  ],
  master_merchant_branch: ['… has no branch of it.'],
  tid: ['Its tid is …; expected ….'],
  branch_order: ['Its branch_order is …; expected ….'],
  terminal_archived_at: ['Its archived_at … is before its created_at ….'],
  archive_reason: ['It has an archive_reason and no archived_at.', 'It has an archived_at and no archive_reason.'],
  restored: [
    'It is marked as restored from …, but its branch … was not archived then.',
    'It is marked as restored, but was archived at ….',
  ],
  terminal_branch: ['There is no branch ….'],
  terminals: ['It lists the branch_order …, which no terminal here has.', 'Its branch … does not list it.'],
  serial_claimed: ['Its serial_no … is claimed by ….', 'Its serial_no … is not claimed.'],
  serial_held: ['The terminal … has no serial_no.', 'The terminal … has ….', 'There is no terminal ….'],
  event_ttl: ['Its ttl is …; expected ….'],
  event_time: ['The change in its body has the time …; expected ….'],
  event_author: [
    'It names a person of ….',
    'It names an API key of ….',
    'It names both an API key and a person.',
    'It names neither an API key nor a person.',
  ],
  event_history: ['Its branch_history is …; expected ….', 'Its terminal_history is …; expected ….'],
  creation_event: ['Its creation_event has the time …; expected ….'],
  event_viewers: ['… is neither its payment provider nor its distributor, but has … of its events.'],
  event_copies: ['The copies of its events differ (payment provider …, distributor …).'],
  event_departures: ['The reassignments from it in the history … differ (events …, in it …).'],
  event_once: ['It has two events of ….'],
  last_event: [
    'It differs from its last event, … of ….',
    'It does not exist, but its last event is … of ….',
    'Its updated_at is …, but it has an event of ….',
  ],
  on_record: ['Its change at … has no event.'],
  card_listed: ['Its member does not list it. Importing the card again adds it.'],
  listed_card: ['The card belongs to another member.', 'There is no such card.'],
  card_version: ['Its version is …; that of its token is ….'],
  reward_ttl: ['Its ttl is …; expected ….'],
  reward_period: ['It is valid from … and expires at ….'],
  identity_person: ['The person … has another identity.', 'There is no person ….'],
  person_identity: ['Its identity does not exist.', 'Its identity leads to the person ….'],
  membership_person: ['The person … does not have the acquirer.', 'There is no person ….'],
  person_membership: ['It is not one of the people of the acquirer ….'],
  invitation_ttl: ['Its ttl is …; expected ….'],
  session_ttl: ['Its ttl is …; expected ….'],
  record_time: ['Its id has the time …; expected ….', 'Its ttl … is before its time ….'],
  record_subject: ['Its subject is invalid.', 'There is no acquirer ….'],
  saved_response: ['There is no branch ….'],
};
