import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addCard } from '../../../../../lib/operator/memberImport.ts';
import { passMinutes, startCardKey, takeClocks } from '../../../../proofs/cardKeys/processes.ts';
import { expectNoViolations } from '../../../../support/invariants.ts';
import { stored } from '../../../../support/stored.ts';
import { done, expectFailure, jsonOf, operator } from '../operator.ts';

const SECRET = process.env['CARD_HMAC_KEY_SECRET'] as string;
const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];

let restoreClocks: () => void;
let cardKey: Awaited<ReturnType<typeof startCardKey>>;
beforeAll(async () => {
  restoreClocks = takeClocks();
  cardKey = await startCardKey();
});
afterAll(async () => {
  await expectNoViolations();
  restoreClocks();
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await cardKey.stop();
});

test('the card key is rotated and the stored hashes follow, without a key in any output', async () => {
  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  await addCard('bruno', { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' });
  await jsonOf('members', 'erase', 'bruno', '--yes');
  const [{ card: before }] = (await jsonOf('members', 'show', 'anna')).cards;
  const blocked = await jsonOf('cards', 'block', 'anna', before);

  const rotate = ['cards', 'rotate-key'];
  expect((await operator(rotate)).stderr).toContain(`Add --yes to rotate the card HMAC key ${SECRET},`);
  const outputs = [await operator([...rotate, '--yes'])];
  expect(outputs[0]).toEqual(done('The card HMAC key has 2 keys. Run "cards rehash" in 70 minutes.'));
  passMinutes(0.5);
  await expectFailure(['cards', 'rehash'], 'Not every process knows the newest card key yet. Try again in 70 minutes.');
  passMinutes(71);
  await expectFailure([...rotate, '--yes'], 'Cards or erasures still have an older key. Run "cards rehash" first.');
  outputs.push(await operator(['cards', 'rehash']));
  expect(outputs[1]).toEqual(done('Moved to the newest key: 1 cards, 1 erasures. Left: 0 cards.'));
  expect(await jsonOf('cards', 'rehash')).toEqual({ cards: 0, erasures: 0, left: [] });

  const shown = (await jsonOf('members', 'show', 'anna')).cards;
  expect(shown).toEqual([{ ...blocked, card: expect.stringMatching(/^[\da-f]{12}$/) }]);
  expect(shown[0].card).not.toBe(before);
  await expectFailure(['cards', 'unblock', 'anna', before], 'The member has no such card.');
  expect(await jsonOf('cards', 'unblock', 'anna', shown[0].card)).toMatchObject({ blocked_at: null });
  // The record has events under both keys.
  const typesOf = async (...text: string[]) =>
    (await jsonOf('history', ...text)).map(({ type }: { type: string }) => type);
  expect(await typesOf('anna')).toEqual(['card.unblocked', 'card.blocked']);
  expect(await typesOf('bruno', '--member')).toEqual(['member.erased']);
  expect(await typesOf('erasures')).toEqual(['member.erased']);
  expect(await typesOf('card-keys')).toEqual(['cards.rehashed', 'card_key.rotated']);

  const everything = JSON.stringify([outputs, await stored()]);
  for (const key of cardKey.keys()) expect(everything).not.toContain(key);
});
