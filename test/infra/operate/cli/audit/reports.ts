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

/** A detail of a violation without values and names, which have digits or come at a known place. */
export const withoutValues = (detail: string): string =>
  detail
    .replace(/^(Missing or invalid:|Expected|There is no) .*/s, '$1 ….')
    .replace(/^Its \w+ is [^;]*; expected .*\.$/s, 'Its … is …; expected ….')
    .replace(/is [^;]*; expected .*\.$/s, 'is …; expected ….')
    .replace(/^Its \w+ (\S+) is before its \w+/, 'Its … $1 is before its …')
    .replace(/^It differs from .* in .*/, 'It differs from … in ….')
    .replace(/^It has (a|only one of) \w+(,| and \w+)/, 'It has $1 …')
    .replace(/(last event(?: is|,)) \S+/, '$1 …')
    .replace(/[^\s,;()]*\d[^\s,;()]*?(?=\.?([\s,;()]|$))/g, '…');

/** All that invariants report, without values. */
export const SENTENCES = [
  'Expected ….',
  'In the list of …, it has neither a rank nor an entry.',
  'In the list of …, it has no head, but … ranked branches.',
  'In the list of …, it names no branch.',
  'In the list of …, it names … as rank ….',
  'In the list of …, its position is …; expected ….',
  'In the list of …, its rank … is beyond the count ….',
  'In the list of …, its sealed_to … is before …, the entry of rank ….',
  'In the list of …, no branch has the rank … of ….',
  'In the list of …, the branch … is ranked, and not by the last seal.',
  'In the list of …, the branch … was created at ….',
  'In the list of …, there is no branch ….',
  'In the list of …, … branches have its rank ….',
  'It differs from its last event, … of ….',
  'It differs from … in ….',
  'It does not exist, but its last event is … of ….',
  'It has a … which puts it into an index.',
  'It has only one of ….',
  'It has two events of ….',
  'It is marked as restored from …, but its branch … was not archived then.',
  'It is marked as restored, but was archived at ….',
  'It is valid from … and expires at ….',
  'It names a person of ….',
  'It names an API key of ….',
  'It names both an API key and a person.',
  'It names neither an API key nor a person.',
  'Its change at … has no event.',
  'Its creation_event has the time …; expected ….',
  'Its owner is invalid for the share people.',
  'Its owner is invalid for the share sign-ins.',
  'Its pk does not end with a hash.',
  'Its subject is invalid.',
  'Its updated_at is …, but it has an event of ….',
  'Its version is …; that of its token is ….',
  'Its … is …; expected ….',
  'Its … … is before its … ….',
  'Missing or invalid: ….',
  'No kind of item has such a key.',
  'The change in its body has the time …; expected ….',
  'The copies of its events differ (payment provider …, distributor …).',
  'The reassignments from it in the history … differ (events …, in it …).',
  'The search entries of … …, expected none.',
  'The search entries of … …, expected ….',
  'The search entries of … …, some with wrong words or attributes.',
  'There is no ….',
  '… has no branch of it.',
  '… is neither its payment provider nor its distributor, but has … of its events.',
];
