import type { Argument } from 'commander';
import * as v from 'valibot';
import { setting } from '../../../../lib/base/config.ts';
import type { CardName } from '../../../../lib/operator/members.ts';
import type { Group } from '../command.ts';
import { explain } from '../explain.ts';
import { identifier, memberId } from '../import/memberRow.ts';
import { argument, secretFrom } from '../input.ts';
import { checkAccess } from '../reach.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

const HELP = `
Name a card by its reference from "members show". If you only have its card_id, pass it on stdin with --card-id-stdin:
an argument would stay in the shell's history.

Examples:
  $ npm run operator -- cards block anna 3f9a0c41d2e7 --stage prod
  $ pbpaste | npm run operator -- cards block anna --card-id-stdin --stage prod`;

const ROTATE_HELP = `
Stored hashes are computed with all keys, one after the other, so no card is needed. Processes learn a new key within an hour;
until then, nothing is stored with it. Refused while hashes of an older key are stored, and with 8 keys.`;

const REHASH_HELP = `
Moves every card, and every mark of an erased member, in one transaction each. Member checks, imports, blocks and erasures may
run at the same time. Refused in the first 70 minutes after a rotation. If it is interrupted, run it again.
References of cards change. The exit code is 1 if cards are left.`;

/** The commands, each with whether it blocks or unblocks. */
const COMMANDS: [command: string, isBlocked: boolean, description: string][] = [
  ['block', true, 'block a lost card: it identifies nobody from the next member check on'],
  ['unblock', false, 'unblock a card: it identifies its member again'],
];

const reference = (): Argument =>
  argument(
    '[card]',
    'reference from "members show"',
    v.pipe(v.string(), v.regex(/^[\da-f]{12}$/, 'Must be the 12 hex digits from "members show", not a card_id.')),
  );

export const cards: Group = (program) => {
  const group = program.add('cards', 'cards of loyalty members').addHelpText('after', HELP);
  for (const [name, isBlocked, description] of COMMANDS)
    group
      .add(name, description)
      .addArgument(argument('<member-id>', 'member_id, as imported', memberId))
      .addArgument(reference())
      .option('--card-id-stdin', 'read the card_id from stdin')
      .addHelpText('after', HELP)
      .runs(async (session, member: string, card: string | undefined, options: { cardIdStdin?: true }) => {
        if (Boolean(card) === Boolean(options.cardIdStdin))
          throw new Stop('Wrong usage: add either the reference of a card or --card-id-stdin.', WRONG_USAGE);
        const named: CardName = card
          ? { reference: card }
          : { card_id: await secretFrom(session.host.stdin, 'card_id', identifier) };
        await checkAccess();
        const changed = await service.setCardBlocked(member, named, isBlocked);
        const status = isBlocked ? `has been blocked since ${changed.blocked_at}` : 'is not blocked';
        await session.print(changed, `Card ${changed.card} ${status}.`);
      });

  group
    .add('rotate-key', 'append a new key to the card HMAC key')
    .addHelpText('after', ROTATE_HELP)
    .runs(async ({ print, confirm }) => {
      await checkAccess();
      await confirm(`rotate the card HMAC key ${setting('CARD_HMAC_KEY_SECRET')}`);
      const keys = await service.rotateCardKey(storeKey);
      await print(
        { keys },
        `The card HMAC key has ${keys} keys. Run "cards rehash" in ${service.RESTED_MS / 60_000} minutes.`,
      );
    });

  group
    .add('rehash', 'rehash: take all stored hashes to the newest card HMAC key')
    .addHelpText('after', REHASH_HELP)
    .runs(async (session) => {
      await checkAccess();
      await rehash(session);
    });
};

const storeKey = (text: string, token: string): Promise<unknown> =>
  service.putSecretText(setting('CARD_HMAC_KEY_SECRET'), text, token).catch((error: Error) => {
    if (error.name !== 'ResourceExistsException') throw new Stop(explain(error, 'secret'));
    throw new Stop(
      'Somebody else rotates the key at the same time. The key was not changed. The record has this attempt, as not completed.',
    );
  });

async function rehash({ print, showCount }: Session): Promise<void> {
  const moved = await service.rehash(showCount);
  const { cards, erasures, left } = moved;
  const lines = left.map(({ card, member_id, reason }) => `Card ${card} of ${member_id} is left: ${reason}`);
  const done = `Moved to the newest key: ${cards} cards, ${erasures} erasures. Left: ${left.length} cards.`;
  await print(moved, [...lines, done].join('\n'));
  if (left.length > 0) throw new Stop(`Cards under an older key: ${left.length}.`);
}
