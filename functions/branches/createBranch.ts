import * as v from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import {
  alphanumeric,
  anyOf,
  email,
  mcc,
  mid,
  objectOf,
  optional,
  phone,
  storedCode,
  storedText,
  terminals,
  uuid,
  withCode,
} from '../../lib/base/fields.ts';
import { detailsIn, sentDetails } from '../../lib/branches/branchDetails.ts';
import { decideCreateBranch } from '../../lib/branches/createBranch.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { created } from '../../lib/http/response.ts';
import { countWords, eventsUnits, itemKilobytes, terminalsCost } from '../../lib/limits/cost.ts';
import { MOST_STEPS } from '../../lib/table/transaction.ts';

const masterMerchantAndTerminals = {
  existing_master_merchant: optional(uuid),
  master_merchant_id: optional(alphanumeric),
  master_merchant_name: optional(storedText),
  email: optional(email),
  country_code: optional(storedCode),
  phone: optional(phone),
  mcc: optional(mcc),
  country: optional(storedText),
  terminals: v.pipe(
    v.nullish(terminals),
    v.transform((list) => list ?? undefined),
  ),
};

/** The caller is one of the branch's two acquirers, and need not be named. The other is one of its partners. */
const Body = ({ id, type }: Acquirer) => {
  const isYou = withCode(
    'not_yourself',
    v.check<string, string>((value) => value === id, 'Must be your own UUID, or omitted.'),
  );
  const isNotYou = withCode(
    'not_a_partner',
    v.check<string, string>((value) => value !== id, 'Must be the UUID of a partner, not your own.'),
  );
  const caller = optional(v.pipe(uuid, isYou), id);
  const partner = v.pipe(uuid, isNotYou);
  const acquirers =
    type === 'DISTRIBUTOR'
      ? { payment_provider: partner, distributor: caller }
      : { payment_provider: caller, distributor: optional(partner) };
  return v.pipe(
    objectOf({ mid, ...sentDetails(optional<string>), ...acquirers, ...masterMerchantAndTerminals }),
    anyOf('existing_master_merchant', 'master_merchant_id'),
  );
};

/** The steps of a create beside its terminals and words: branch, master merchant, list entries, events, response. */
const OTHER_STEPS = 9;
/**
 * By which it is found besides its names: its MID, and the master_merchant_id, once for the branch and once for itself.
 */
const WORDS_OF_IDS = 3;

/** POST /ext/api/v1/merchants. */
async function create({ author, body }: ChangeCall<never, v.InferOutput<ReturnType<typeof Body>>>) {
  const { mid, payment_provider, distributor, terminals = [] } = body;
  const { existing_master_merchant: uuid, master_merchant_id, master_merchant_name: name } = body;
  const { email, country_code, phone, mcc, country } = body;
  const details = detailsIn(body);
  const master_merchant = { uuid, master_merchant_id, name, email, country_code, phone, mcc, country };
  const input = { mid, payment_provider, distributor, details, master_merchant, terminals };
  const decision = await decideCreateBranch(author, input);
  return { decision, response: created(decision.data, `/ext/api/v1/merchants/${mid}`) };
}

export const handler = change(create, {
  needs: 'change',
  body: Body,
  isIdempotent: true,
  // A step of a transaction costs two units a KB, and an entry of an index one.
  cost(call) {
    const { distributor, master_merchant_name, terminals = [] } = call.body;
    const texts = [...Object.values(detailsIn(call.body)), master_merchant_name];
    const kilobytes = itemKilobytes(texts);
    const acquirers = distributor ? 2 : 1;
    const branchUnits = (2 + acquirers) * kilobytes;
    const masterMerchantUnits = 3;
    // Of each acquirer: the branch in its list, the master merchant in its lookup, and their words.
    const entryUnits = acquirers * 4;
    const words = acquirers * (countWords(...texts) + countWords(master_merchant_name) + WORDS_OF_IDS);
    const wordUnits = 2 * words;
    const rankingUnits = acquirers * (3 + 4 * kilobytes);
    const { read, write: terminalUnits, steps } = terminalsCost(terminals);
    const write = branchUnits + masterMerchantUnits + entryUnits + terminalUnits + eventsUnits(call);
    // What does not fit into its transaction is stored right after it (newEntrySteps).
    return steps + words > MOST_STEPS - OTHER_STEPS
      ? { read, write, later: rankingUnits + wordUnits }
      : { read, write: write + wordUnits, later: rankingUnits };
  },
});

export const contract = {
  tag: 'Branches',
  summary: 'Create a branch',
  description: `Creates a branch with its terminals and, if it is new, its master merchant: all or nothing.

- Send \`existing_master_merchant\` or \`master_merchant_id\`, or both if they identify the same master merchant; \
\`null\` and blank texts do not count. Other details of an existing master merchant must match the stored ones.
- A distributor must send the \`payment_provider\`, one of its partners. A payment provider may send a partner as \
\`distributor\`.
- All field errors are reported at once, except when you name an acquirer that is not your partner.`,
  success: {
    status: 201,
    description: 'The branch was created.',
    data: 'CreatedBranch',
    hasLocation: true,
  },
} satisfies Contract;
