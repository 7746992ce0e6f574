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
    .replace(/(no|from) ([A-Z_]+)\S* \/ .*?(?=\.$| in )/, '$1 $2#… / …')
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
  derived: [
    'Its at is …; expected ….',
    'Its branch_history is …; expected ….',
    'Its branch_order is …; expected ….',
    'Its key_id is …; expected ….',
    'Its payment_provider is …; expected ….',
    'Its terminal_history is …; expected ….',
    'Its tid is …; expected ….',
    'Its ttl is …; expected ….',
    'Its uuid is …; expected ….',
  ],
  together: [
    'It has only one of archived_at and archive_reason.',
    'It has only one of distributor and distributor_position.',
    'It has only one of restored_from and restored_at.',
  ],
  times: [
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
  rate_limit_owner: ['Its owner is invalid for the share people.', 'Its owner is invalid for the share sign-ins.'],
  registered: ['There is no ACQUIRERS#… / ….'],
  provider_link: [
    'It differs from ACQUIRERS#… / … in name.',
    'There is no ACQUIRERS#… / ….',
    'There is no DISTRIBUTORS#… / ….',
  ],
  distributor_link: [
    'It differs from ACQUIRERS#… / … in name.',
    'It differs from ACQUIRERS#… / … in type.',
    'There is no ACQUIRERS#… / ….',
    'There is no PAYMENT_PROVIDERS#… / ….',
  ],
  api_key_listed: [
    'It differs from ACQUIRERS#… / … in api_keys.',
    'It differs from ACQUIRERS#… / … in disabled_at.',
    'It differs from ACQUIRERS#… / … in limit.',
    'It differs from ACQUIRERS#… / … in name.',
    'It differs from ACQUIRERS#… / … in type.',
    'It differs from ACQUIRERS#… / … in … and ….',
    'There is no ACQUIRERS#… / ….',
  ],
  api_key_stored: ['There is no API_KEY#… / ….'],
  branch_acquirers: ['It differs from ACQUIRERS#… / … in type.', 'There is no ACQUIRERS#… / ….'],
  branch_ranks: [
    'In the list of …, its rank … is beyond the count ….',
    'In the list of …, no branch has the rank … of ….',
    'In the list of …, … branches have its rank ….',
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
  saved_response: ['There is no BRANCH#… / ….'],
  branch_master_merchant: [
    'It differs from MASTER_MERCHANT#… / … in master_merchant_id.',
    'It differs from MASTER_MERCHANT#… / … in name.',
    'It differs from MASTER_MERCHANT#… / … in payment_provider.',
    'It differs from MASTER_MERCHANT#… / … in … and ….',
    'There is no MASTER_MERCHANT#… / ….',
    'There is no MASTER_MERCHANTS#… / ….',
  ],
  master_merchant_words: [
    'The search entries of … …, expected none.',
    'The search entries of … …, expected ….',
    'The search entries of … …, some with wrong words or attributes.',
  ],
  master_merchant_provider: ['There is no ACQUIRERS#… / ….', 'There is no MASTER_MERCHANTS#… / ….'],
  master_merchant_entry: [
    'It differs from MASTER_MERCHANT#… / … in master_merchant_id.',
    'It differs from MASTER_MERCHANT#… / … in name.',
    'It differs from MASTER_MERCHANT#… / … in payment_provider.',
    'It differs from MASTER_MERCHANT#… / … in … and ….',
    'There is no MASTER_MERCHANT#… / ….',
  ],
  master_merchant_branch: ['… has no branch of it.'],
  terminal_archived_at: ['Its archived_at … is before its created_at ….'],
  restored: [
    'It is marked as restored from …, but its branch … was not archived then.',
    'It is marked as restored, but was archived at ….',
  ],
  terminal_branch: ['It differs from BRANCH#… / … in terminals.', 'There is no BRANCH#… / ….'],
  terminals: [
    'It differs from TERMINAL#… / … in branch_order.',
    'It differs from TERMINAL#… / … in mid.',
    'There is no TERMINAL#… / ….',
  ],
  serial_claimed: ['It differs from SERIAL#… / … in tid.', 'There is no SERIAL#… / ….'],
  serial_held: ['It differs from TERMINAL#… / … in serial_no.', 'There is no TERMINAL#… / ….'],
  event_time: ['The change in its body has the time …; expected ….'],
  event_author: [
    'It names a person of ….',
    'It names an API key of ….',
    'It names both an API key and a person.',
    'It names neither an API key nor a person.',
  ],
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
  card_listed: ['There is no MEMBER#… / ….'],
  listed_card: ['It differs from CARD#… / … in member_id.', 'There is no CARD#… / ….'],
  card_version: ['Its version is …; that of its token is ….'],
  reward_period: ['It is valid from … and expires at ….'],
  identity_person: ['It differs from PERSON#… / … in identity.', 'There is no PERSON#… / ….'],
  person_identity: [
    'It differs from IDENTITY#… / … in person.',
    'There is no IDENTITY#… / ….',
    'There is no PEOPLE#… / ….',
  ],
  membership_person: ['It differs from PERSON#… / … in acquirers.', 'There is no PERSON#… / ….'],
  record_subject: ['Its subject is invalid.'],
  record_acquirer: ['There is no ACQUIRERS#… / ….'],
};
