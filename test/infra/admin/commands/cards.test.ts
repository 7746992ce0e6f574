import { beforeEach, describe, expect, test } from '@jest/globals';
import { cardHash, memberHash } from '../../../../lib/members/member.ts';
import { addCard } from '../../../../lib/operator/memberImport.ts';
import { recorded, TIME } from '../../../support/constants.ts';
import { splitRecord, storedBy } from '../../../support/stored.ts';
import { unique } from '../../../support/world.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';

let member: string;
let cardId: string;
let reference: string;
let key: string;
beforeEach(async () => {
  [member, cardId] = [unique('member'), unique('card')];
  await addCard(member, { card_id: cardId, card_pseudo_token: 'token' });
  const hash = await cardHash(cardId);
  [reference, key] = [hash.slice(0, 12), `CARD#${hash} CARD`];
});
const HASH = expect.stringMatching(/^[\da-f]{64}$/);
const eventsOf = async (type: string) => ({
  [`MEMBER#${await memberHash(member)}`]: [recorded(type, { card: reference })],
});

describe('block', () => {
  test('blocks a card by its reference and can be repeated', async () => {
    const { response, changed } = await storedBy(() => jsonOf('cards', 'block', member, reference));
    expect(response).toEqual({ card: reference, imported_at: null, blocked_at: TIME });
    expect(splitRecord(changed)).toEqual({
      others: { [key]: { member_id: member, pseudo_token_hash: HASH, blocked_at: response.blocked_at } },
      events: await eventsOf('card.blocked'),
    });
    expect(await storedBy(() => admin(['cards', 'block', member, reference]))).toEqual({
      response: done(`Card ${reference} has been blocked since ${response.blocked_at}.`),
      changed: {},
    });
  });

  test('blocks a card by its card_id from stdin, without repeating it', async () => {
    const { response, changed } = await storedBy(() =>
      admin(['cards', 'block', member, '--card-id-stdin'], { input: `${cardId}\n` }),
    );
    expect(response).toMatchObject({ exitCode: 0, stderr: '' });
    expect(response.stdout).toMatch(new RegExp(`^Card ${reference} has been blocked since \\S+\\.\\n$`));
    expect(Object.keys(splitRecord(changed).others)).toEqual([key]);
    expect(JSON.stringify(changed)).not.toContain(cardId);
  });

  test('rejects an unknown card and one of another member, and stores nothing', async () => {
    const other = unique('member');
    await addCard(other, { card_id: unique('card'), card_pseudo_token: 'token' });
    const [theirs] = (await jsonOf('members', 'show', other)).cards;
    const { changed } = await storedBy(async () => {
      for (const card of [theirs.card, '0123456789ab'])
        expect(await admin(['cards', 'block', member, card])).toEqual(failed('The member has no such card.'));
      for (const input of [cardId, 'no such card'])
        expect(await admin(['cards', 'block', other, '--card-id-stdin'], { input })).toEqual(
          failed('The member has no such card.'),
        );
    });
    expect(changed).toEqual({});
  });

  test.each([
    ['no card', [], '', 'add either the reference of a card or --card-id-stdin.'],
    ['two cards', ['0123456789ab', '--card-id-stdin'], 'x', 'add either the reference of a card or --card-id-stdin.'],
    ['an empty stdin', ['--card-id-stdin'], ' \n', 'stdin must have one card_id, on one line.'],
    ['two lines on stdin', ['--card-id-stdin'], 'card-1\ncard-2\n', 'stdin must have one card_id, on one line.'],
    [
      'a card_id as an argument, without repeating it',
      ['4000123412341234'],
      '',
      '[card]: Must be the 12 hex digits from "members show", not a card_id.',
    ],
  ])('rejects %s', async (_, args, input, line) => {
    const { response, changed } = await storedBy(() => admin(['cards', 'block', member, ...args], { input }));
    expect(response).toEqual(failed(`Wrong usage: ${line}`, 2));
    expect(changed).toEqual({});
  });

  test('does nothing without the card HMAC key', async () => {
    expect(await admin(['cards', 'block', member, reference, '--secret', 'nonesuch'])).toEqual(
      failed(`There is no secret nonesuch at ${process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER']}.`),
    );
  });
});

describe('unblock', () => {
  test('unblocks a card and can be repeated', async () => {
    await jsonOf('cards', 'block', member, reference);
    const { response, changed } = await storedBy(() => jsonOf('cards', 'unblock', member, reference));
    expect(response).toEqual({ card: reference, imported_at: null, blocked_at: null });
    expect(splitRecord(changed)).toEqual({
      others: { [key]: { member_id: member, pseudo_token_hash: HASH } },
      events: await eventsOf('card.unblocked'),
    });
    expect(await storedBy(() => admin(['cards', 'unblock', member, reference]))).toEqual({
      response: done(`Card ${reference} is not blocked.`),
      changed: {},
    });
  });
});
