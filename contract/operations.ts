import type { ProblemCode } from '../lib/problem.ts';
import type { Operation } from '../test/support/api.ts';
import { listOf, mid as midSchema, ref, type Schema, uuid } from './schemas.ts';

/** What the code does not tell of an operation: its texts, what it answers, and by what it refuses. */
export interface Described {
  tag: 'Branches' | 'Terminals' | 'Reference data' | 'Members';
  summary: string;
  description: string;
  /** Path parameters by name. */
  path?: Record<string, { description: string; example: string; schema: Schema }>;
  /** A request body. */
  example?: Record<string, unknown>;
  success: { status: 200 | 201; description: string; data: Schema; isPage?: boolean; hasLocation?: boolean };
  /** Beyond those that follow from what it takes: no API key, a query, a body, an Idempotency-Key. */
  refusals: ProblemCode[];
  isIdempotent?: boolean;
}

const mid = { description: 'MID of a branch that is accessible to you.', example: 'PORTO0001', schema: midSchema };
const tid = {
  description: 'TID: the UUID of a terminal.',
  example: '7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a',
  schema: uuid,
};
const BRANCH: Described['tag'] = 'Branches';
const TERMINAL: Described['tag'] = 'Terminals';

export const OPERATIONS: Record<Exclude<Operation, 'unknownRoute'>, Described> = {
  listBranches: {
    tag: BRANCH,
    summary: 'List branches',
    description:
      'The branches that are accessible to you, by time of creation. Any page of any list takes about the same time. `total`, membership and order include what you have just created; a status that changed milliseconds ago may show as it was. A page past the end is empty, and its `prev` is the last page.',
    success: { status: 200, description: 'A page of branches.', data: listOf(ref('ListedBranch'), 100), isPage: true },
    refusals: [],
  },
  createBranch: {
    tag: BRANCH,
    summary: 'Create a branch',
    description:
      'Creates a branch and, with it, its terminals and the business that owns it: all or nothing. Give either `existing_master_merchant` or `master_merchant_id`. A distributor names a `payment_provider` that is its partner; a payment provider may name a partner as `distributor`. All field errors are reported at once, unless you name somebody who is not your partner.',
    example: {
      mid: 'PORTO0001',
      branch_name: 'Harbour Café',
      area: 'Ribeira',
      city: 'Porto',
      master_merchant_id: 'HARBOURCAFES',
      master_merchant_name: 'Harbour Cafés',
      terminals: [{ terminal_id: 'T0000001', terminal_model: 'Countertop 3' }],
    },
    success: { status: 201, description: 'The branch was created.', data: ref('CreatedBranch'), hasLocation: true },
    refusals: [],
    isIdempotent: true,
  },
  getBranch: {
    tag: BRANCH,
    summary: 'Get a branch',
    description: 'A branch that is accessible to you, archived ones included.',
    path: { mid },
    success: { status: 200, description: 'The branch.', data: ref('Branch') },
    refusals: ['not_found'],
  },
  archiveBranch: {
    tag: BRANCH,
    summary: 'Archive a branch',
    description:
      'Archives a branch for good, and all its terminals with it, however many there are. It takes no more terminals.',
    path: { mid },
    success: { status: 200, description: 'The branch, archived.', data: ref('Branch') },
    refusals: ['not_found', 'already_archived'],
  },
  listTerminals: {
    tag: TERMINAL,
    summary: 'List the terminals of a branch',
    description:
      'The terminals of a branch by time of creation; those that one request created keep its order. `total` and membership include what you have just created, deleted or reassigned; a field that changed milliseconds ago may show as it was.',
    path: { id: mid },
    success: { status: 200, description: 'A page of terminals.', data: listOf(ref('Terminal'), 100), isPage: true },
    refusals: ['not_found'],
  },
  createTerminals: {
    tag: TERMINAL,
    summary: 'Create terminals for a branch',
    description:
      'Creates 1 to 40 terminals: all or none. `terminal_id` is unique across all terminals, `serial_no` too where it is given. All that is wrong is told at once.',
    path: { id: mid },
    example: {
      terminals: [
        {
          terminal_id: 'T0000002',
          serial_no: 'SN20260002',
          terminal_model: 'Handheld 2',
          payment_app: 'Checkout Go',
          acquirer_name: 'Atlantic Acquiring',
        },
      ],
    },
    success: {
      status: 201,
      description: 'The terminals were created. `Location` is the list of the branch’s terminals.',
      data: listOf(ref('Terminal'), 40),
      hasLocation: true,
    },
    refusals: ['not_found', 'branch_archived'],
    isIdempotent: true,
  },
  updateTerminal: {
    tag: TERMINAL,
    summary: 'Update a terminal',
    description: 'Changes the fields that are sent, and no others; `null` clears one.',
    path: { id: tid },
    example: { terminal_model: 'Handheld 2', serial_no: null },
    success: { status: 200, description: 'The terminal as it is now.', data: ref('Terminal') },
    refusals: ['not_found', 'not_under_requesting_psp'],
  },
  deleteTerminal: {
    tag: TERMINAL,
    summary: 'Delete a terminal',
    description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
    path: { id: tid },
    success: { status: 200, description: 'What was deleted.', data: ref('DeletedTerminal') },
    refusals: ['not_found'],
  },
  archiveTerminal: {
    tag: TERMINAL,
    summary: 'Archive a terminal',
    description: 'Archives a terminal: it is no longer active for processing.',
    path: { id: tid },
    example: { reason: 'Sent to repair' },
    success: { status: 200, description: 'The terminal, archived.', data: ref('Terminal') },
    refusals: ['not_found', 'already_archived', 'not_under_requesting_psp'],
  },
  restoreTerminal: {
    tag: TERMINAL,
    summary: 'Restore a terminal',
    description: 'Makes an archived terminal active again, also one that was archived with its branch.',
    path: { id: tid },
    success: { status: 200, description: 'The terminal, active.', data: ref('Terminal') },
    refusals: ['not_found', 'not_archived'],
  },
  reassignTerminal: {
    tag: TERMINAL,
    summary: 'Reassign a terminal to another MID',
    description: 'Moves a terminal to another branch of the same payment provider. Its status goes along.',
    path: { id: tid },
    example: { mid: 'PORTO0002' },
    success: { status: 200, description: 'The terminal under its new MID.', data: ref('Terminal') },
    refusals: ['not_found', 'not_under_requesting_psp', 'already_under_target_mid', 'branch_archived'],
    isIdempotent: true,
  },
  lookup: {
    tag: 'Reference data',
    summary: 'Look up reference data',
    description:
      'What you may name in other calls, for dropdowns: sorted by text, at most 2,500 items; `search` finds the others. `paymentProviders` and `distributors` hold you and your partners, `masterMerchants` businesses, `paymentApp` and `acquirers` what terminals may name. What was added a moment ago can take 30 seconds to show; it can be named at once.',
    path: {
      method: {
        description: 'Which list.',
        example: 'paymentApp',
        schema: {
          type: 'string',
          enum: ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'],
        },
      },
    },
    success: { status: 200, description: 'The items.', data: listOf(ref('LookupItem'), 2_500) },
    refusals: ['not_found'],
  },
  memberCheck: {
    tag: 'Members',
    summary: 'Check a member',
    description:
      'Whether a card at a terminal identifies a loyalty member, and the rewards that this transaction reaches. A well-formed request is always 200: what was not found is not told. Card identifiers are never logged.',
    example: {
      amount: 12.5,
      card_id: 'card-of-a-member',
      card_pseudo_token: 'token-of-the-card',
      currency: 'EUR',
      terminal_id: 'T0000001',
      acquirer_id: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11',
    },
    success: { status: 200, description: 'The request was processed.', data: ref('MemberCheck') },
    refusals: [],
  },
};
