import { versionOf } from '../../../../lib/members/cardKeys.ts';
import { ttlOf } from '../../../../lib/members/member.ts';
import { cardHashOf, cardKey, memberCardKey } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { acrossItems, differs, type Invariant, perItem } from '../invariant.ts';

/** Invariants of loyalty members. */
export const MEMBERS: Invariant[] = [
  {
    name: 'card_listed',
    holds: 'Every card is in the list of its member, so that it can be found and erased.',
    ...acrossItems(['card'], ({ member_id }, key, all) => {
      const isListed = !member_id || all.get('member_card', memberCardKey(member_id, ownerOf(key)));
      return !isListed && 'Its member does not list it. Importing the card again adds it.';
    }),
  },
  {
    name: 'listed_card',
    holds: 'Every card in the list of a member exists and belongs to that member.',
    ...acrossItems(['member_card'], (_, key, all) => {
      const card = all.get('card', cardKey(cardHashOf(key) ?? ''));
      if (!card) return 'There is no such card.';
      return card.member_id !== undefined && card.member_id !== ownerOf(key) && 'The card belongs to another member.';
    }),
  },
  {
    name: 'card_version',
    holds: 'A card and its token are hashed with the same version of the card key.',
    ...perItem(['card'], ({ pseudo_token_hash }, key) => {
      const [card, token] = [ownerOf(key), pseudo_token_hash].map(versionOf);
      return card !== token && `Its version is ${card}; that of its token is ${token}.`;
    }),
  },
  {
    name: 'reward_ttl',
    holds: 'DynamoDB deletes a reward when it has expired, and not before.',
    ...perItem(['reward'], (reward) =>
      reward.ttl === undefined ? undefined : differs('ttl', reward.ttl, ttlOf(reward)),
    ),
  },
  {
    name: 'reward_period',
    holds: 'A reward becomes valid before it expires.',
    ...perItem(
      ['reward'],
      ({ valid_from, expires_at }) =>
        valid_from >= expires_at && `It is valid from ${valid_from} and expires at ${expires_at}.`,
    ),
  },
];
