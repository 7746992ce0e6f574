import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt } from '../base/cursor.ts';
import { timeOfId } from '../base/eventId.ts';
import { field, listOf, shownAs, shownKeyId, shownText, shownUrl, time, uuidValue } from '../base/values.ts';
import { knownTo } from '../people/namesOfPeople.ts';
import { type RecordEvent, readRecordPage } from '../record/record.ts';
import type { RecordType } from '../record/recordTypes.ts';
import { acquirerSubject, keyOfSubject, personOfSubject } from '../table/keys.ts';
import { type HistoryRequest, startOf } from './historyPage.ts';

/** Changes of API keys, people and webhooks. All others of an acquirer's record are the operator's. */
export const ACCESS_TYPES = [
  'api_key.issued',
  'api_key.rotated',
  'api_key.revoked',
  'person.invited',
  'invitation.revoked',
  'person.joined',
  'person.role_changed',
  'person.removed',
  'person.erased',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.rewound',
  'webhook.deleted',
] as const satisfies RecordType[];

const AS_OF_REMOVAL = 'A person who was removed has name and address as of then; one who was erased has none.';
const shownPerson = v.nullable(v.object({ id: uuidValue, name: v.nullable(shownText), email: v.nullable(shownText) }));

/** A change of an API key, of a person, of an invitation or of a webhook. */
export const shownAccessChange = v.object({
  id: field(uuidValue, 'UUID of the change.'),
  type: field(v.picklist(ACCESS_TYPES), 'What changed.'),
  at: field(time, 'When it changed (RFC 3339, UTC).'),
  by: field(shownPerson, `Who changed it; \`null\` if an API key or we did. ${AS_OF_REMOVAL}`),
  by_key: field(v.nullable(shownKeyId), 'Id of the API key with which it was changed; otherwise `null`.'),
  key_id: field(v.nullable(shownKeyId), 'Id of the API key; of the new one after a rotation.'),
  label: field(v.nullable(shownText), 'Label of the API key.'),
  ends_with: field(v.nullable(shownText), 'The last four characters of the API key; of the new one after a rotation.'),
  ends_with_before: field(v.nullable(shownText), 'The last four characters of the API key that was rotated.'),
  role: field(v.nullable(shownText), 'Role of the API key or of the person after the change.'),
  role_before: field(v.nullable(shownText), 'Role of the person before the change.'),
  person: field(shownPerson, `The person whom it is about. ${AS_OF_REMOVAL}`),
  invited: field(v.nullable(shownText), 'The address of the invitation; `null` if it was erased.'),
  webhook: field(v.nullable(uuidValue), 'Id of the webhook.'),
  origin: field(v.nullable(shownUrl), 'Scheme, host and port of the URL of the webhook after the change.'),
  changed: field(v.nullable(listOf(v.picklist(['url', 'description', 'status']), 3)), 'What an update changed.'),
  status: field(v.nullable(shownText), 'Status of the webhook, if an update changed it.'),
  rewound_to: field(v.nullable(time), 'The time from which a rewound webhook delivers.'),
  reason: field(v.nullable(shownText), 'Why the webhook was changed, if the request said it.'),
});
type AccessChange = v.InferOutput<typeof shownAccessChange>;

/** The requested page; with a type, a person or an API key, only their changes. */
export interface AccessRequest extends HistoryRequest {
  type?: AccessChange['type'] | undefined;
  person?: string | undefined;
  key?: string | undefined;
}

const peopleIn = ({ by, details }: RecordEvent) =>
  [personOfSubject(by), details['person'] as string].flatMap((of) => of ?? []);

/**
 * Reads changes of the API keys, people and webhooks of an acquirer, the newest first, from the operator's record. It
 * reads at most `limit` events and 1 MB, so a page can have fewer changes, or none, although there are more.
 * `read_to` is the time down to which all were read.
 *
 * @throws Problem `invalid_query` for an invalid cursor.
 */
export async function accessChanges({ id }: Acquirer, request: AccessRequest) {
  const list = [id, 'access'];
  const page = { limit: request.limit, before: startOf(request, list) };
  const { items, next } = await readRecordPage(acquirerSubject(id), page);
  const { type, person, key, since = 0 } = request;
  const isWanted = (event: RecordEvent) =>
    (type ? event.type === type : ACCESS_TYPES.some((each) => each === event.type)) &&
    (person === undefined || personOfSubject(event.by) === person) &&
    (key === undefined || keyOfSubject(event.by) === key) &&
    Date.parse(event.at) >= since;
  const wanted = items.filter(isWanted);
  const invitationOf = ({ details }: RecordEvent) => details['invitation'] as string | undefined;
  const known = await knownTo(
    id,
    wanted.flatMap(peopleIn),
    wanted.flatMap((event) => invitationOf(event) ?? []),
  );
  const named = (of: string | undefined) => {
    if (of === undefined) return null;
    const { name = null, email = null } = known.get(of) ?? {};
    return { id: of, name, email };
  };
  const changes = wanted.map((event) => {
    const { by, details, ...shown } = event;
    return shownAs(shownAccessChange, {
      ...(details as Partial<AccessChange>),
      ...(shown as Pick<AccessChange, 'id' | 'type' | 'at'>),
      by: named(personOfSubject(by)),
      by_key: keyOfSubject(by),
      person: named(details['person'] as string | undefined),
      invited: known.get(invitationOf(event) ?? '')?.email,
    });
  });
  const end = next?.['sk'];
  if (!end || timeOfId(end) < since) return { changes, next: null, read_to: null };
  return { changes, next: cursorAt(end, list), read_to: new Date(timeOfId(end)).toISOString() };
}
