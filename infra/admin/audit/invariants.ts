import { branchKey } from '../../../lib/table/keys.ts';
import { type Invariant, together } from './invariant.ts';
import { ACQUIRERS } from './invariants/acquirers.ts';
import { BRANCHES } from './invariants/branches.ts';
import { EVENTS } from './invariants/events.ts';
import { ITEMS } from './invariants/items.ts';
import { MASTER_MERCHANTS } from './invariants/masterMerchants.ts';
import { MEMBERS } from './invariants/members.ts';
import { RECORD } from './invariants/record.ts';
import { TERMINALS } from './invariants/terminals.ts';

/** All that an audit looks at. What an entry needs of other items is what their kind keeps: see kinds.ts. */
export const INVARIANTS: Invariant[] = [
  ...ITEMS,
  ...ACQUIRERS,
  ...BRANCHES,
  ...MASTER_MERCHANTS,
  ...TERMINALS,
  ...EVENTS,
  ...MEMBERS,
  ...RECORD,
  {
    name: 'saved_response',
    holds: 'The answer that is kept for an Idempotency-Key leads to a branch that there is.',
    ...together(['idempotency_key'], ({ location }, _, all) => {
      const mid = location?.split('/').at(-1);
      return mid !== undefined && !all.get('branch', branchKey(mid)) && `There is no branch ${mid}.`;
    }),
  },
];
