import { text } from 'node:stream/consumers';
import type { Argument, Command } from 'commander';
import * as v from 'valibot';
import type { CardInfo, CardName } from '../../../lib/operator/members.ts';
import { identifier, memberId } from '../import/memberRow.ts';
import { argument } from '../input.ts';
import { checkAccess } from '../reach.ts';
import type { Action, Group, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

const HELP = `
Name a card by its reference from "members show". If you only have its card_id, pass it on stdin with --card-id-stdin:
an argument would stay in the shell's history.

Examples:
  $ npm run admin -- cards block anna 3f9a0c41d2e7 --stage prod
  $ pbpaste | npm run admin -- cards block anna --card-id-stdin --stage prod`;

/** The commands, each with whether it blocks or unblocks, and its output. */
const COMMANDS: [command: string, isBlocked: boolean, description: string, outcome: (card: CardInfo) => string][] = [
  [
    'block',
    true,
    'block a lost card: it identifies nobody from the next member check on',
    ({ card, blocked_at }) => `Card ${card} has been blocked since ${blocked_at}.`,
  ],
  ['unblock', false, 'unblock a card: it identifies its member again', ({ card }) => `Card ${card} is not blocked.`],
];

const reference = (): Argument =>
  argument(
    '[card]',
    'reference from "members show"',
    v.pipe(v.string(), v.regex(/^[\da-f]{12}$/, 'Must be the 12 hex digits from "members show", not a card_id.')),
  );

export const cards: Group = (program, action) => {
  const group = program.command('cards').description('cards of loyalty members').addHelpText('after', HELP);
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
    .addArgument(argument('<member-id>', 'member_id, as imported', memberId))
    .addArgument(reference())
    .option('--card-id-stdin', 'read the card_id from stdin')
    .addHelpText('after', HELP)
    .action(
      action(async (session, member: string, card: string | undefined, options: { cardIdStdin?: true }) => {
        if (Boolean(card) === Boolean(options.cardIdStdin))
          throw new Stop('Wrong usage: add either the reference of a card or --card-id-stdin.', WRONG_USAGE);
        const named: CardName = card ? { reference: card } : { card_id: await readCardId(session) };
        await checkAccess(session.service);
        const changed = await session.service.setCardBlocked(member, named, isBlocked);
        await session.print(changed, outcome(changed));
      }),
    );
}

/** Reads a card_id from stdin. @throws Stop, without the text that was read. */
async function readCardId({ io }: Session): Promise<string> {
  const { success, output } = v.safeParse(identifier, (await text(io.stdin)).trim());
  if (!success) throw new Stop('Wrong usage: stdin must have one card_id, on one line.', WRONG_USAGE);
  return output;
}
