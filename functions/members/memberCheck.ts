import * as v from 'valibot';
import { currency, objectOf, text } from '../../lib/base/fields.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { checkMember } from '../../lib/member.ts';

const Body = objectOf({
  amount: v.pipe(v.number(), v.finite(), v.minValue(0)),
  card_id: text,
  card_pseudo_token: text,
  currency,
  terminal_id: text,
  acquirer_id: text,
});
type Body = v.InferOutput<typeof Body>;

/** POST /api/v1/host/member-check. */
async function check({ acquirer, body }: Call<never, Body>) {
  return ok(await checkMember(acquirer, body));
}

export const handler = endpoint(check, { body: Body, share: 'member-checks' });
