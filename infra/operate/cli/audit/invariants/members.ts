import { versionOf } from '../../../../../lib/members/cardKeys.ts';
import { cardHashOf, cardKey, memberCardKey } from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { type Invariants, perItem, refers } from '../invariant.ts';

/** Invariants of loyalty members. */
export const MEMBERS: Invariants = {
  card_listed: [
    'Every card is in the list of its member, so that it can be found and erased. Importing it again adds it.',
    refers(['card'], ({ member_id }, hash) => [['member_card', memberCardKey(member_id, hash)]]),
  ],
  listed_card: [
    'Every card in the list of a member exists and belongs to that member.',
    refers(['member_card'], (_, member_id, sk) => [['card', cardKey(cardHashOf({ pk: '', sk }) ?? ''), { member_id }]]),
  ],
  card_version: [
    'A card and its token are hashed with the same version of the card key.',
    perItem(['card'], ({ pseudo_token_hash }, key) => {
      const [card, token] = [ownerOf(key), pseudo_token_hash].map(versionOf);
      return card !== token && `Its version is ${card}; that of its token is ${token}.`;
    }),
  ],
  reward_period: [
    'A reward becomes valid before it expires.',
    perItem(
      ['reward'],
      ({ valid_from, expires_at }) =>
        valid_from >= expires_at && `It is valid from ${valid_from} and expires at ${expires_at}.`,
    ),
  ],
};
