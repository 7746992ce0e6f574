import { UUID } from '../../lib/base/mid.ts';
import { shownMid, uuidValue } from '../../lib/base/values.ts';
import type { Operation } from '../local/invoke.ts';
import { listOf, ref, responseSchema, type Schema } from './schemas.ts';

/**
 * What the contract cannot derive from the code of an operation: its texts and its response. Examples and problems come
 * from the story.
 */
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
    /** Schema of `meta`, unless the response is a page of the list envelope. */
    meta?: Schema;
    hasLocation?: boolean;
    /** JSON Pointers into `data` to a MID and a TID, for links to other operations. */
    links?: { mid?: string; tid?: string };
  } & (
    | { data: Schema; types?: never }
    /** Schemas of `data`, by the `type` in the response. */
    | { types: Record<string, Schema>; data?: never }
  );
  isIdempotent?: boolean;
}

/** Path parameter of operations on a branch. */
export const mid = { description: 'MID of a branch that is accessible to you.', schema: responseSchema(shownMid) };
/** Path parameter of operations on a terminal. */
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
      'Returns the branches that are accessible to you, sorted by time of creation. Every page takes about the same time, however long the list is. `total`, membership and order include branches that were just created; a status that changed milliseconds ago may be outdated. A page past the end is empty, and its `prev` is the last page.',
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
      'Creates a branch with its terminals and, if it is new, its master merchant: all or nothing. Send `existing_master_merchant` or `master_merchant_id`, or both if they identify the same master merchant. Other details of an existing master merchant must match the stored ones. A distributor must send the `payment_provider`, one of its partners; a payment provider may send a partner as `distributor`. All field errors are reported at once, except when you name an acquirer that is not your partner.',
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
    description: 'Returns a branch that is accessible to you, even if it is archived.',
    path: { mid },
    success: { status: 200, description: 'The branch.', data: ref('Branch') },
  },
  getBranchHistory: {
    tag: BRANCH,
    summary: 'Get the history of a branch',
    description:
      'Returns the events of a branch and its terminals, the newest first: who changed what, and when. For the next page, send `meta.next` as `before`; it is `null` at the end. A change can take some milliseconds to appear.',
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
      'Archives a branch and all of its terminals. Archiving a branch is permanent, and terminals can no longer be added to it.',
    path: { mid },
    success: { status: 200, description: 'The archived branch.', data: ref('Branch') },
  },
  listTerminals: {
    tag: TERMINAL,
    summary: 'List the terminals of a branch',
    description:
      'Returns the terminals of a branch, sorted by time of creation. Terminals created by the same request keep its order. `total` and membership include terminals that were just created, deleted or reassigned; a field that changed milliseconds ago may be outdated.',
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
      'Creates 1 to 40 terminals: all or none. Each `terminal_id`, and each `serial_no` if present, must be unique across all terminals. All field errors are reported at once.',
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
    description: 'Changes only the fields that you send. `null` or a blank text clears a field.',
    path: { id: tid },
    success: { status: 200, description: 'The updated terminal.', data: ref('Terminal') },
  },
  deleteTerminal: {
    tag: TERMINAL,
    summary: 'Delete a terminal',
    description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
    path: { id: tid },
    success: { status: 200, description: 'The deleted terminal.', data: ref('DeletedTerminal') },
  },
  archiveTerminal: {
    tag: TERMINAL,
    summary: 'Archive a terminal',
    description: 'Archives a terminal. It is no longer active for processing.',
    path: { id: tid },
    success: { status: 200, description: 'The archived terminal.', data: ref('Terminal') },
  },
  restoreTerminal: {
    tag: TERMINAL,
    summary: 'Restore a terminal',
    description: 'Makes an archived terminal active again, even if it was archived with its branch.',
    path: { id: tid },
    success: { status: 200, description: 'The restored terminal.', data: ref('Terminal') },
  },
  reassignTerminal: {
    tag: TERMINAL,
    summary: 'Reassign a terminal to another MID',
    description: 'Moves a terminal to another branch of the same payment provider. Its status is unchanged.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal under its new MID.', data: ref('Terminal') },
    isIdempotent: true,
  },
  getTerminalHistory: {
    tag: TERMINAL,
    summary: 'Get the history of a terminal',
    description:
      'Returns the events of a terminal from the time when it was accessible to you, the newest first. For the next page, send `meta.next` as `before`; it is `null` at the end. If a terminal is deleted, its history stays readable for the acquirers that could access it last. A change can take some milliseconds to appear.',
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
      'Returns the values that you can use in other requests, for dropdowns: sorted by text, at most 1,000 items. With more, `warnings` says so; use `search` to find others. `paymentProviders` and `distributors` list you and your partners, `masterMerchants` the master merchants that you can use, and `paymentApp` and `acquirers` values for terminals. A new value can be used at once, but can take 30 seconds to appear.',
    path: {
      method: {
        description: 'Which list.',
        schema: {
          type: 'string',
          enum: ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'],
        },
      },
    },
    success: { status: 200, description: 'The items.', data: listOf(ref('LookupItem'), 1_000) },
  },
  find: {
    tag: 'Find',
    summary: 'Find a terminal, branch or master merchant',
    description:
      'Returns the resource with an identifier. Send exactly one of `tid`, `terminal_id`, `serial_no`, `mid` and `master_merchant_id`; the `type` in the response says what `data` is. A `master_merchant_id` is unique per payment provider only, so a distributor must also send `payment_provider`. White space around a value is ignored. Changes are visible at once. Returns 404 if there is no such resource or it is not accessible to you.',
    success: {
      status: 200,
      description: 'The resource.',
      types: { terminal: ref('Terminal'), branch: ref('Branch'), master_merchant: ref('MasterMerchant') },
    },
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns every change of the branches and terminals that are accessible to you, the oldest first. The feed is complete and in order, and never changes. Without `after`, it starts with the oldest retained event. For the next page, send `meta.next` as `after`. `after=now` returns only a cursor: get one before you read the lists for the first time. An event appears about 25 seconds after its change, when no earlier event can still arrive.',
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
      'Checks whether a card at a terminal identifies a loyalty member, and returns the rewards that apply to the transaction. A valid request always returns 200, and the response does not say why no member was identified. Card identifiers are never logged.',
    success: { status: 200, description: 'The request was processed.', data: ref('MemberCheck') },
  },
};
