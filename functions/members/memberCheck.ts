import * as v from 'valibot';
import { TILL } from '../../lib/aws/retry.ts';
import { code, currency, objectOf } from '../../lib/base/fields.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { prepare } from '../../lib/http/prepare.ts';
import { ok } from '../../lib/http/response.ts';
import { warn } from '../../lib/http/warnings.ts';
import { checkMember, prepareChecks } from '../../lib/members/checkMember.ts';

const Body = objectOf({
  amount: v.pipe(v.number(), v.finite(), v.minValue(0), v.metadata({ format: 'double' })),
  card_id: code,
  card_pseudo_token: code,
  currency,
  terminal_id: code,
  acquirer_id: code,
});

const TOO_MANY_REWARDS = {
  pointer: '',
  code: 'incomplete',
  detail: 'The member has more rewards than a check reads, so some that apply may be missing.',
};

/** POST /api/v1/host/member-check. */
async function check(call: Call<never, v.InferOutput<typeof Body>>) {
  const { result, hasMore } = await checkMember(call.acquirer, call.body);
  if (hasMore) warn(call, [TOO_MANY_REWARDS]);
  return ok(result);
}

export const handler = endpoint(check, {
  needs: 'check_members',
  body: Body,
  share: 'member-checks',
  budget: TILL,
});

// Lambda waits for it before the first request ("Using Node.js ES modules and top-level await in AWS Lambda").
if (process.env['AWS_LAMBDA_INITIALIZATION_TYPE']) await prepare(prepareChecks, TILL);

export const contract = {
  tag: 'Members',
  summary: 'Check a member',
  description:
    'Checks whether a card at a terminal identifies a loyalty member, and returns the rewards that apply to the ' +
    'transaction. A valid request always returns 200, and the response does not say why no member was identified. Card ' +
    'identifiers are never logged.',
  success: { status: 200, description: 'The request was processed.', data: 'MemberCheck' },
} satisfies Contract;
