import * as v from 'valibot';
import type { Acquirer, ReferenceData } from '../../../lib/acquirer.ts';
import { keyName, storedText } from '../../../lib/base/fields.ts';
import { acquirerId, argument } from '../input.ts';
import { called, list } from '../output.ts';
import type { Group, Service, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

/** The groups of commands, alike for each kind of name that terminals may have. */
const KINDS: [group: string, kind: ReferenceData, what: string][] = [
  ['payment-apps', 'PAYMENT_APPS', 'payment apps'],
  ['master-acquirers', 'MASTER_ACQUIRERS', 'master acquirers'],
];

const name = v.pipe(storedText, keyName);

const namesOf = async ({ listReferences }: Service, acquirer: Acquirer, kind: ReferenceData): Promise<string[]> =>
  (await listReferences(acquirer, kind)).map(({ name }) => name);

/** Names without repetitions; all of them are changed at once, or none is. */
function distinct({ service: { MOST_NAMES } }: Session, names: string[]): string[] {
  const all = [...new Set(names)];
  if (all.length > MOST_NAMES) throw new Stop(`Wrong usage: name ${MOST_NAMES} at a time at the most.`, WRONG_USAGE);
  return all;
}

export const referenceData: Group = (program, action) => {
  for (const [command, kind, what] of KINDS) {
    const group = program.command(command).description(`${what} that terminals of an acquirer may name`);
    const names = () => argument('<names...>', 'one or several; quote a name that has blanks', name);

    /** Answers with what there is now. */
    async function show({ service, response }: Session, acquirer: Acquirer): Promise<void> {
      const left = await namesOf(service, acquirer, kind);
      await response(left, `The ${what} of ${called(acquirer)}: ${list(left)}.`);
    }

    group
      .command('add')
      .description(`add ${what}; safe to repeat`)
      .addArgument(acquirerId())
      .addArgument(names())
      .action(
        action(async (session, id: string, added: string[]) => {
          await session.service.addReferenceData(id, kind, distinct(session, added));
          await show(session, await session.service.getAcquirer(id));
        }),
      );

    group
      .command('remove')
      .description(`remove ${what}; terminals that have one keep it`)
      .addArgument(acquirerId())
      .addArgument(names())
      .action(
        action(async (session, id: string, removed: string[]) => {
          const { service, confirm } = session;
          const acquirer = await service.getAcquirer(id);
          const there = await namesOf(service, acquirer, kind);
          const unknown = removed.filter((each) => !there.includes(each));
          if (unknown.length > 0)
            throw new Stop(`These are none of the ${what}: ${list(unknown)}. Nothing was changed.`);
          await confirm(`remove the ${what} ${list(removed)} of ${called(acquirer)}`);
          await service.removeReferenceData(id, kind, distinct(session, removed));
          await show(session, acquirer);
        }),
      );

    group
      .command('list')
      .description(`an acquirer's ${what}`)
      .addArgument(acquirerId())
      .action(action(async (session, id: string) => show(session, await session.service.getAcquirer(id))));
  }
};
