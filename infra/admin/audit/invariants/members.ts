import { cardHashOf, cardKey, memberCardKey } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { alone, type Invariant, together } from '../invariant.ts';

/** What holds of loyalty members. */
export const MEMBERS: Invariant[] = [
  {
    name: 'card_listed',
    holds: 'A member has each of its cards on its list, so that it can be found and erased.',
    ...together(['card'], ({ member_id }, key, all) => {
      const isListed = !member_id || all.get('member_card', memberCardKey(member_id, ownerOf(key)));
      return !isListed && 'Its member does not list it. Importing the card again adds it.';
    }),
  },
  {
    name: 'listed_card',
    holds: 'A card that a member lists is there, and is that of the member.',
    ...together(['member_card'], (_, key, all) => {
      const card = all.get('card', cardKey(cardHashOf(key) ?? ''));
      if (!card) return 'There is no such card.';
      return card.member_id !== undefined && card.member_id !== ownerOf(key) && "The card is another member's.";
    }),
  },
  {
    name: 'reward_period',
    holds: 'A reward becomes valid before it expires.',
    ...alone(
      ['reward'],
      ({ valid_from, expires_at }) =>
        valid_from >= expires_at && `It is valid from ${valid_from} and expires at ${expires_at}.`,
    ),
  },
];
