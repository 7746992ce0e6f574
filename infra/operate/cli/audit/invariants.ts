import type { Invariants } from './invariant.ts';
import { ACQUIRERS, PEOPLE, RECORD } from './invariants/acquirers.ts';
import { BRANCHES } from './invariants/branches.ts';
import { EVENTS } from './invariants/events.ts';
import { ITEMS } from './invariants/items.ts';
import { MASTER_MERCHANTS } from './invariants/masterMerchants.ts';
import { MEMBERS } from './invariants/members.ts';
import { TERMINALS } from './invariants/terminals.ts';

/** All invariants. An invariant can use those attributes of other items that `summarize` in kinds.ts returns. */
export const INVARIANTS: Invariants = {
  ...ITEMS,
  ...ACQUIRERS,
  ...BRANCHES,
  ...MASTER_MERCHANTS,
  ...TERMINALS,
  ...EVENTS,
  ...MEMBERS,
  ...PEOPLE,
  ...RECORD,
};
