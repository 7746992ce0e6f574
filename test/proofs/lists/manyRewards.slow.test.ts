import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { csvOf, jsonOf, operator } from '../../infra/operate/cli/operator.ts';
import { call } from '../../support/api.ts';
import { recorded, TIME } from '../../support/constants.ts';
import { deep } from '../../support/depth.ts';
import { memberHash } from '../../support/hashes.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import '../../../infra/local/patient.ts';
import { ownFolder } from '../../support/scripts.ts';
import { splitRecord, stored, storedBy } from '../../support/stored.ts';
import { newAcquirer, newBranch, newTerminal } from '../../support/world.ts';

/** More than 1 MB, which is a page of a query. */
const MANY = deep ? 10_000 : 1_000;

const rewardOf = (number: number) => ({
  reward_id: `reward-${String(number).padStart(5, '0')}`,
  name: `${number} EUR off ${'🏪'.repeat(240)}`,
  currency: 'EUR',
  minimum_amount: number,
  valid_from: '2020-01-01T00:00:00.000Z',
  expires_at: '2099-12-31T23:59:59.000Z',
});

const folder = ownFolder();

test('a member with thousands of rewards can be imported, shown, checked and erased completely', async () => {
  const file = join(folder, 'members.csv');
  const card = { card_id: 'card-of-many', card_pseudo_token: 'token-of-many' };
  const rows = Array.from({ length: MANY }, (_, number) => ({ member_id: 'collector', ...rewardOf(number) }));
  writeFileSync(file, csvOf({ member_id: 'collector', ...card }, ...rows));
  const imported = await operator(['members', 'import', file]);
  const stdout = expect.stringMatching(new RegExp(`^(.*\n)*${MANY + 1} rows stored, 0 refused.\n$`));
  expect(imported).toMatchObject({ exitCode: 0, stderr: '', stdout });

  const shown = await jsonOf('members', 'show', 'collector');
  expect(shown.cards).toEqual([{ card: expect.any(String), imported_at: TIME, blocked_at: null }]);
  expect(shown.rewards).toEqual(rows.map(({ member_id: _, ...reward }) => reward));
  expect((await operator(['members', 'show', 'collector'])).stdout.split('\n')).toHaveLength(MANY + 7);

  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { terminal_id } = await newTerminal(caller, (await newBranch(caller)).mid);
  const body = { amount: 4, ...card, currency: 'EUR', terminal_id, acquirer_id: caller.id };
  const check = async () => (await call('memberCheck', { key: caller.key, body })).body.data;
  expect(await check()).toMatchObject({ member_identified: true, rewards: [0, 1, 2, 3, 4].map(rewardOf) });

  const completed = { stored: MANY + 1, refused: 0, completed_at: TIME };
  expect(await jsonOf('history', 'collector')).toMatchObject([{ type: 'members.imported', details: completed }]);

  const { response, changed } = await storedBy(() => jsonOf('members', 'erase', 'collector', '--yes'));
  expect(response).toEqual({ cards: 1, rewards: MANY });
  const { others, events } = splitRecord(changed);
  const hash = await memberHash('collector');
  expect(Object.values(others).filter((item) => item !== null)).toEqual([
    { id: expect.any(String), ttl: expect.any(Number) },
  ]);
  const erased = recorded('member.erased', { member: hash, cards: 1, rewards: MANY, completed_at: TIME });
  expect(events).toEqual({
    [`MEMBER#${hash}`]: [erased],
    ERASURES: [erased],
  });
  expect(JSON.stringify(await stored())).not.toContain('collector');
  expect(await check()).toMatchObject({ member_identified: false });
  await expectNoViolations();
});
