import { acquirerKey } from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { type Invariant, perItem, refers } from '../invariant.ts';

/** The subjects of the operator's record. */
const SUBJECT =
  /^(ACQUIRER#.*|API_KEY#[\da-f]{12}|PERSON#[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|MEMBER#([2-9]\.)?[\da-f]{64}|MEMBERS|ERASURES|CARD_KEYS)$/;

/** Invariants of the operator's record. */
export const RECORD: Invariant[] = [
  {
    name: 'record_subject',
    holds:
      "An event in the operator's record is about an acquirer, a key_id, a person's id, a hashed member id, the imports, the erasures, or the card key.",
    ...perItem(['record'], (_, key) => !SUBJECT.test(ownerOf(key)) && 'Its subject is invalid.'),
  },
  {
    name: 'record_acquirer',
    holds: "An acquirer in the operator's record is registered.",
    ...refers(['record'], (_, subject) => {
      const [kind, id = ''] = subject.split('#');
      return [kind === 'ACQUIRER' && ['acquirer', acquirerKey(id)]];
    }),
  },
];
