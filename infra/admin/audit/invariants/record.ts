import { timeOfId } from '../../../../lib/events/eventId.ts';
import { ownerOf } from '../inspect.ts';
import { acquirerOf, acrossItems, type Invariant, perItem } from '../invariant.ts';

/** The subjects of the operator's record other than acquirers. */
const SUBJECT =
  /^(API_KEY#[\da-f]{12}|PERSON#[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|MEMBER#([2-9]\.)?[\da-f]{64}|MEMBERS|ERASURES|CARD_KEYS)$/;

/** Invariants of the operator's record. */
export const RECORD: Invariant[] = [
  {
    name: 'record_time',
    holds: "The id of an event in the operator's record begins with the time of the event, and its ttl is later.",
    ...perItem(['record'], ({ id, at, ttl }) => [
      timeOfId(id) !== Date.parse(at) && `Its id has the time ${new Date(timeOfId(id)).toISOString()}; expected ${at}.`,
      ttl * 1000 <= Date.parse(at) && `Its ttl ${ttl} is before its time ${at}.`,
    ]),
  },
  {
    name: 'record_subject',
    holds:
      "An event in the operator's record is about an acquirer, a key_id, a person's id, a hashed member id, the imports, the erasures, or the card key.",
    ...acrossItems(['record'], (_, key, all) => {
      const [kind, id] = ownerOf(key).split('#') as [string, string?];
      if (kind === 'ACQUIRER') return !acquirerOf(all, id) && `There is no acquirer ${id}.`;
      return !SUBJECT.test(ownerOf(key)) && 'Its subject is invalid.';
    }),
  },
];
