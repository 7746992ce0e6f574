import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone, Conflict, retrying } from '../aws/retry.ts';
import { storedId } from '../base/mid.ts';
import { amount, boolean, field, listOf, shownCurrency, shownText, time } from '../base/values.ts';
import { type Branch, isAccessible } from '../branches/branch.ts';
import { hasTerminal } from '../branches/branchTerminals.ts';
import { recordSeen } from '../branches/lastSeen.ts';
import { archivingOf, type Terminal } from '../branches/terminal.ts';
import { getItem, prefixRange, queryPage } from '../table/client.ts';
import { branchKey, noIdOf, rewardsOf, terminalKey, tidOf } from '../table/keys.ts';
import { hashesOf, type Reward, readCard, toReward } from './member.ts';

const shownReward = v.object({
  reward_id: field(shownText, 'Id of the reward.'),
  name: field(shownText, 'Name of the reward.'),
  currency: field(shownCurrency, 'Currency (ISO 4217).'),
  minimum_amount: field(amount, 'Smallest amount for which the reward applies.'),
  valid_from: field(time, 'When the reward starts to apply (RFC 3339, UTC).'),
  expires_at: field(time, 'When the reward stops applying (RFC 3339, UTC).'),
});

export const shownMemberCheck = v.object({
  member_identified: field(boolean, 'Whether the card, its token and the terminal identify a member.'),
  rewards_available: field(boolean, 'Whether any rewards apply to this transaction.'),
  rewards: field(listOf(shownReward, 10_000), 'Rewards that apply to this transaction.'),
});

export interface MemberCheck {
  amount: number;
  card_id: string;
  card_pseudo_token: string;
  currency: string;
  terminal_id: string;
  acquirer_id: string;
}

/**
 * Checks whether a card identifies a member, and returns the rewards that apply to the transaction. It reads about 1 MB
 * of the member's rewards, eventually consistent; `hasMore` says whether there are more. The result does not say why no
 * member was identified.
 */
export const checkMember = (
  acquirer: Acquirer,
  request: MemberCheck,
): Promise<{ result: v.InferOutput<typeof shownMemberCheck>; hasMore: boolean }> =>
  retrying(async () => {
    const hashes = await hashesOf(request);
    const tid = tidOf(request.terminal_id);
    const found = await readCard<[Terminal]>(
      hashes.map(({ card_id }) => card_id),
      terminalKey(tid),
    );
    const { at, card } = found;
    const [terminal] = found.others;
    const isTheirs = card && card.pseudo_token_hash === hashes[at]?.card_pseudo_token && !card.blocked_at;
    // The same requests in any case, and no rewards for a wrong token, so that neither response times nor table usage
    // reveal whether a card exists.
    const [branch, rewards] = await allDone([
      getItem<Branch>(branchKey(terminal?.mid ?? noIdOf(tid))),
      queryPage<Reward>(
        prefixRange(rewardsOf(isTheirs ? card.member_id : noIdOf(hashes[0].card_id)), { ConsistentRead: false }),
      ),
    ]);
    if (terminal && branch && !hasTerminal(branch, terminal))
      throw new Conflict('The terminal left its branch while the branch was read');
    const isActive = terminal && branch && isAccessible(branch, acquirer) && !archivingOf({ terminal, branch });
    // After all reads, and whoever the card identifies: its time tells the caller only of a terminal of its own.
    if (isActive) await recordSeen({ terminal, branch });
    const identified =
      isTheirs && isActive && [acquirer.id, branch.payment_provider].includes(storedId(request.acquirer_id));
    if (!identified)
      return { result: { member_identified: false, rewards_available: false, rewards: [] }, hasMore: false };

    const time = new Date().toISOString();
    const available = rewards.items.filter(
      ({ valid_from, expires_at, currency, minimum_amount }) =>
        valid_from <= time && time < expires_at && currency === request.currency && request.amount >= minimum_amount,
    );
    return {
      result: { member_identified: true, rewards_available: available.length > 0, rewards: available.map(toReward) },
      hasMore: rewards.next !== undefined,
    };
  });

/** Checks a card of nobody, so that a process fetches the card key, connects and compiles before the first check. */
export const prepareChecks = () =>
  checkMember(
    { id: '', type: 'PAYMENT_PROVIDER', name: '' },
    { amount: 0, card_id: '', card_pseudo_token: '', currency: '', terminal_id: '', acquirer_id: '' },
  );
