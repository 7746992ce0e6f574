import { UUID } from '../../lib/base/mid.ts';
import { shownMid, uuidValue } from '../../lib/base/values.ts';
import type { Operation } from '../local/invoke.ts';
import { listOf, ref, responseSchema, type Schema } from './schemas.ts';

/** What the code does not tell of an operation: its texts and its response. Examples and refusals come from the story. */
export interface Described {
  tag: 'Branches' | 'Terminals' | 'Find' | 'Events' | 'Reference data' | 'Members';
  summary: string;
  description: string;
  /** Path parameters by name. */
  path?: Record<string, { description: string; schema: Schema }>;
  success: {
    status: 200 | 201;
    description: string;
    isPage?: boolean;
    /** What stands beside `data` in `meta`, if it is no page of the list envelope. */
    meta?: Schema;
    hasLocation?: boolean;
    /** JSON Pointers into `data` to the branch and the terminal that further operations may be called with. */
    links?: { mid?: string; tid?: string };
  } & (
    | { data: Schema; types?: never }
    /** All that `data` can be, by the `type` beside it. */
    | { types: Record<string, Schema>; data?: never }
  );
  isIdempotent?: boolean;
}

/** The path parameter of operations on a branch. */
export const mid = { description: 'MID of a branch that is accessible to you.', schema: responseSchema(shownMid) };
/** The path parameter of operations on a terminal. */
export const tid = {
  description: 'TID: the UUID of a terminal.',
  schema: { ...responseSchema(uuidValue), pattern: UUID.source },
};
const BRANCH: Described['tag'] = 'Branches';
const TERMINAL: Described['tag'] = 'Terminals';

export const OPERATIONS: Record<Exclude<Operation, 'unknownRoute'>, Described> = {
  listBranches: {
    tag: BRANCH,
    summary: 'List branches',
    description:
      'The branches that are accessible to you, by time of creation. Any page of any list takes about the same time. `total`, membership and order include what you have just created; a status that changed milliseconds ago may show as it was. A page past the end is empty, and its `prev` is the last page.',
    success: {
      status: 200,
      description: 'A page of branches.',
      data: listOf(ref('ListedBranch'), 100),
      isPage: true,
      links: { mid: '/0/mid' },
    },
  },
  createBranch: {
    tag: BRANCH,
    summary: 'Create a branch',
    description:
      'Creates a branch and, with it, its terminals and the business that owns it: all or nothing. Give `existing_master_merchant` or `master_merchant_id`, or both if they name the same business. What else you send of a business that exists must agree with what is stored. A distributor names a `payment_provider` that is its partner; a payment provider may name a partner as `distributor`. All field errors are reported at once, unless you name somebody who is not your partner.',
    success: {
      status: 201,
      description: 'The branch was created.',
      data: ref('CreatedBranch'),
      hasLocation: true,
      links: { mid: '/mid', tid: '/terminals/0/tid' },
    },
    isIdempotent: true,
  },
  getBranch: {
    tag: BRANCH,
    summary: 'Get a branch',
    description: 'A branch that is accessible to you, archived ones included.',
    path: { mid },
    success: { status: 200, description: 'The branch.', data: ref('Branch') },
  },
  getBranchHistory: {
    tag: BRANCH,
    summary: 'Get the history of a branch',
    description:
      'The events of a branch and its terminals, the newest first: who did what, and when. `meta.next` is the cursor `before` which the page after this one begins; it is `null` at the end. A change can take some milliseconds to show.',
    path: { mid },
    success: {
      status: 200,
      description: 'A page of events.',
      data: listOf(ref('Event'), 100),
      meta: ref('HistoryMeta'),
    },
  },
  archiveBranch: {
    tag: BRANCH,
    summary: 'Archive a branch',
    description:
      'Archives a branch for good, and all its terminals with it, however many there are. It takes no more terminals.',
    path: { mid },
    success: { status: 200, description: 'The branch, archived.', data: ref('Branch') },
  },
  listTerminals: {
    tag: TERMINAL,
    summary: 'List the terminals of a branch',
    description:
      'The terminals of a branch by time of creation; those that one request created keep its order. `total` and membership include what you have just created, deleted or reassigned; a field that changed milliseconds ago may show as it was.',
    path: { id: mid },
    success: {
      status: 200,
      description: 'A page of terminals.',
      data: listOf(ref('Terminal'), 100),
      isPage: true,
      links: { tid: '/0/tid' },
    },
  },
  createTerminals: {
    tag: TERMINAL,
    summary: 'Create terminals for a branch',
    description:
      'Creates 1 to 40 terminals: all or none. `terminal_id` is unique across all terminals, `serial_no` too where it is given. All field errors are reported at once.',
    path: { id: mid },
    success: {
      status: 201,
      description: 'The terminals were created. `Location` is the list of the branch’s terminals.',
      data: listOf(ref('Terminal'), 40),
      hasLocation: true,
      links: { mid: '/0/mid', tid: '/0/tid' },
    },
    isIdempotent: true,
  },
  updateTerminal: {
    tag: TERMINAL,
    summary: 'Update a terminal',
    description: 'Changes the fields that are sent, and no others. `null` or a blank text clears one.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal as it is now.', data: ref('Terminal') },
  },
  deleteTerminal: {
    tag: TERMINAL,
    summary: 'Delete a terminal',
    description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
    path: { id: tid },
    success: { status: 200, description: 'What was deleted.', data: ref('DeletedTerminal') },
  },
  archiveTerminal: {
    tag: TERMINAL,
    summary: 'Archive a terminal',
    description: 'Archives a terminal: it is no longer active for processing.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal, archived.', data: ref('Terminal') },
  },
  restoreTerminal: {
    tag: TERMINAL,
    summary: 'Restore a terminal',
    description: 'Makes an archived terminal active again, also one that was archived with its branch.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal, active.', data: ref('Terminal') },
  },
  reassignTerminal: {
    tag: TERMINAL,
    summary: 'Reassign a terminal to another MID',
    description: 'Moves a terminal to another branch of the same payment provider. Its status goes along.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal under its new MID.', data: ref('Terminal') },
    isIdempotent: true,
  },
  getTerminalHistory: {
    tag: TERMINAL,
    summary: 'Get the history of a terminal',
    description:
      'The events of a terminal from the time when it was accessible to you, the newest first. `meta.next` is the cursor `before` which the page after this one begins; it is `null` at the end. That of a deleted terminal stays readable for those who had access to it last. A change can take some milliseconds to show.',
    path: { id: tid },
    success: {
      status: 200,
      description: 'A page of events.',
      data: listOf(ref('Event'), 100),
      meta: ref('HistoryMeta'),
    },
  },
  lookup: {
    tag: 'Reference data',
    summary: 'Look up reference data',
    description:
      'What you may name in other calls, for dropdowns: sorted by text, at most 2,500 items; `search` finds the others. `paymentProviders` and `distributors` hold you and your partners, `masterMerchants` businesses, `paymentApp` and `acquirers` what terminals may name. What was added a moment ago can take 30 seconds to show; it can be named at once.',
    path: {
      method: {
        description: 'Which list.',
        schema: {
          type: 'string',
          enum: ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'],
        },
      },
    },
    success: { status: 200, description: 'The items.', data: listOf(ref('LookupItem'), 2_500) },
  },
  find: {
    tag: 'Find',
    summary: 'Find a terminal, branch or master merchant',
    description:
      'Returns the one thing that has this identifier. Give exactly one of `tid`, `terminal_id`, `serial_no`, `mid` and `master_merchant_id`; `type` says what `data` is. A `master_merchant_id` is unique for a payment provider only, so a distributor adds `payment_provider`. White space around a value is ignored. What has just been created or changed is found at once. Whatever does not exist or is not accessible to you is 404.',
    success: {
      status: 200,
      description: 'What was found.',
      types: { terminal: ref('Terminal'), branch: ref('Branch'), master_merchant: ref('MasterMerchant') },
    },
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description:
      'Every change of the branches and terminals that are accessible to you, the oldest first: complete, in order, and the same whenever you read it again. Start `after` a cursor, or with the oldest event that is kept, and go on from `meta.next`. `after=now` returns no events but a cursor: get one before you read the lists for the first time. An event shows about 25 seconds after its change, when none before it can still come.',
    success: {
      status: 200,
      description: 'A page of events.',
      data: listOf(ref('Event'), 100),
      meta: ref('EventsMeta'),
    },
  },
  memberCheck: {
    tag: 'Members',
    summary: 'Check a member',
    description:
      'Whether a card at a terminal identifies a loyalty member, and the rewards that this transaction reaches. A well-formed request is always 200: what was not found is not told. Card identifiers are never logged.',
    success: { status: 200, description: 'The request was processed.', data: ref('MemberCheck') },
  },
};
