import { cardHashes, memberHashes } from '../../lib/members/member.ts';

/** The hash under which a card is stored, with the key of a test. */
export const cardHash = async (card_id: string): Promise<string> => (await cardHashes(card_id))[0] as string;

/** The hash that the record has of a member. */
export const memberHash = async (member_id: string): Promise<string> => (await memberHashes(member_id))[0];
