import { text } from 'node:stream/consumers';
import type { Argument, Command } from 'commander';
import * as v from 'valibot';
import type { CardInfo, CardName } from '../../../lib/memberRights.ts';
import { identifier, memberId } from '../import/memberRow.ts';
import { argument } from '../input.ts';
import { reachAll } from '../reach.ts';
import type { Action, Group, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

const HELP = `
A card is named by its reference, as "members show" shows it. --card-id-stdin reads its card_id instead, which must not
be an argument: those stay in the shell's history.

Examples:
  $ npm run admin -- cards block anna 3f9a0c41d2e7 --stage prod
  $ pbpaste | npm run admin -- cards block anna --card-id-stdin --stage prod`;

/** Each command, whether cards are blocked after it, and what is told of one. */
const COMMANDS: [command: string, isBlocked: boolean, description: string, outcome: (card: CardInfo) => string][] = [
  [
    'block',
    true,
    'have a lost card identify nobody from the next check on',
    ({ card, blocked_at }) => `Card ${card} is blocked since ${blocked_at}.`,
  ],
  ['unblock', false, 'have a blocked card identify its member again', ({ card }) => `Card ${card} is not blocked.`],
];

const reference = (): Argument =>
  argument(
    '[card]',
    'its reference, as "members show" shows it',
    v.pipe(v.string(), v.regex(/^[\da-f]{12}$/, 'Must be the 12 digits that "members show" shows, not a card_id.')),
  );

export const cards: Group = (program, action) => {
  const group = program.command('cards').description('cards of members').addHelpText('after', HELP);
  for (const each of COMMANDS) addCommand(group, action, ...each);
};

function addCommand(
  group: Command,
  action: Action,
  ...[name, isBlocked, description, outcome]: (typeof COMMANDS)[number]
) {
  group
    .command(name)
    .description(description)
    .addArgument(argument('<member-id>', 'as it was imported', memberId))
    .addArgument(reference())
    .option('--card-id-stdin', 'read the card_id from stdin')
    .addHelpText('after', HELP)
    .action(
      action(async (session, member: string, card: string | undefined, options: { cardIdStdin?: true }) => {
        if (Boolean(card) === Boolean(options.cardIdStdin))
          throw new Stop('Wrong usage: name the card by its reference, or add --card-id-stdin.', WRONG_USAGE);
        const named: CardName = card ? { reference: card } : { card_id: await readCardId(session) };
        await reachAll(session.service);
        const changed = await session.service.setCardBlocked(member, named, isBlocked);
        await session.response(changed, outcome(changed));
      }),
    );
}

/** @throws Stop that does not repeat what was read. */
async function readCardId({ io }: Session): Promise<string> {
  const { success, output } = v.safeParse(identifier, (await text(io.stdin)).trim());
  if (!success) throw new Stop('Wrong usage: stdin must have one card_id, on one line.', WRONG_USAGE);
  return output;
}
