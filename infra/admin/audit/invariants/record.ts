import { timeOfId } from '../../../../lib/eventId.ts';
import { ownerOf } from '../inspect.ts';
import { acquirerOf, alone, type Invariant, together } from '../invariant.ts';

/** What the operator's record is about, but for acquirers. */
const SUBJECT = /^(API_KEY#[\da-f]{12}|MEMBER#[\da-f]{64}|MEMBERS)$/;

/** What holds of the operator's record. */
export const RECORD: Invariant[] = [
  {
    name: 'record_time',
    holds: "The id of an event of the operator's record begins with its time, and it expires later.",
    ...alone(['record'], ({ id, at, ttl }) => [
      timeOfId(id) !== Date.parse(at) && `Its id is of ${new Date(timeOfId(id)).toISOString()}, and it is of ${at}.`,
      ttl * 1000 <= Date.parse(at) && `Its ttl ${ttl} is before its time ${at}.`,
    ]),
  },
  {
    name: 'record_subject',
    holds: "The operator's record is about registered acquirers, ids of API keys, hashes of member ids, or imports.",
    ...together(['record'], (_, key, all) => {
      const [kind, id] = ownerOf(key).split('#') as [string, string?];
      if (kind === 'ACQUIRER') return !acquirerOf(all, id) && `There is no acquirer ${id}.`;
      return !SUBJECT.test(ownerOf(key)) && 'It is about nothing that there can be.';
    }),
  },
];
