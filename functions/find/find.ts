import * as v from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { ID_KEYWORDS, MID_KEYWORDS, soughtId, UUID_KEYWORDS } from '../../lib/base/fields.ts';
import { findOne, IDENTIFIERS, type Identifier } from '../../lib/find/find.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** Exactly one identifier. A master_merchant_id is unique per payment provider, which a distributor must name. */
const Query = ({ type }: Acquirer) =>
  v.pipe(
    v.object({
      tid: soughtId(UUID_KEYWORDS),
      terminal_id: soughtId(ID_KEYWORDS),
      serial_no: soughtId(ID_KEYWORDS),
      mid: soughtId(MID_KEYWORDS),
      master_merchant_id: soughtId(ID_KEYWORDS),
      payment_provider: soughtId(UUID_KEYWORDS),
    }),
    v.check((query) => given(query).length === 1, `Send exactly one of ${IDENTIFIERS.join(', ')}.`),
    v.forward(
      v.check(
        ({ payment_provider, master_merchant_id }) =>
          payment_provider === undefined || master_merchant_id !== undefined,
        'Allowed only with master_merchant_id.',
      ),
      ['payment_provider'],
    ),
    v.forward(
      v.check(
        ({ payment_provider, master_merchant_id }) =>
          type !== 'DISTRIBUTOR' || master_merchant_id === undefined || payment_provider !== undefined,
        'Is required with master_merchant_id.',
      ),
      ['payment_provider'],
    ),
  );

const given = (query: { [K in Identifier]?: string | undefined }): [Identifier, string][] =>
  IDENTIFIERS.flatMap((by) => (query[by] === undefined ? [] : [[by, query[by]]]));

/** GET /ext/api/v1/find (docs/architecture.md#find). */
async function find({ acquirer, query }: Call<never, unknown, v.InferOutput<ReturnType<typeof Query>>>) {
  const [identifier] = given(query) as [[Identifier, string]];
  const { data, type } = await findOne(acquirer, identifier, query.payment_provider);
  return ok(data, { type });
}

export const handler = endpoint(find, { needs: 'read', query: Query });

export const contract = {
  tag: 'Find',
  summary: 'Find a terminal, branch or master merchant',
  description: `Returns the resource with an identifier. The \`type\` in the response says what \`data\` is.

- Send exactly one of \`tid\`, \`terminal_id\`, \`serial_no\`, \`mid\` and \`master_merchant_id\`, such as \
\`serial_no=SN20260002\`. White space around a value and invisible characters in it are ignored, and so are the \
braces or \`urn:uuid:\` of a UUID.
- A \`master_merchant_id\` is unique per payment provider only, so a distributor must also send \`payment_provider\`.
- Returns 404 if there is no such resource or it is not accessible to you. Changes are visible at once.
- If a terminal had the \`serial_no\` and released it, the problem’s \`released\` names that terminal, for as long as \
events are kept, if it was accessible to you then.`,
  success: {
    status: 200,
    description: 'The resource.',
    types: { terminal: 'FoundTerminal', branch: 'Branch', master_merchant: 'MasterMerchant' },
  },
} satisfies Contract;
