import * as v from 'valibot';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { keyName, storedText } from '../../../lib/base/fields.ts';
import type { ReferenceData } from '../../../lib/operator/referenceData.ts';
import { acquirerId, argument } from '../input.ts';
import { list, nameAndId } from '../output.ts';
import type { Group, Service, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

/** The groups of commands, one for each kind of reference data. */
const KINDS: [group: string, kind: ReferenceData, what: string][] = [
  ['payment-apps', 'PAYMENT_APPS', 'payment apps'],
  ['master-acquirers', 'MASTER_ACQUIRERS', 'master acquirers'],
];

const name = v.pipe(storedText, keyName);

const namesOf = async ({ listReferences }: Service, acquirer: Acquirer, kind: ReferenceData): Promise<string[]> =>
  (await listReferences(acquirer, kind)).map(({ name }) => name);

/** Removes repeated names. @throws Stop for more names than one transaction can change. */
function distinct({ service: { MOST_NAMES } }: Session, names: string[]): string[] {
  const all = [...new Set(names)];
  if (all.length > MOST_NAMES) throw new Stop(`Wrong usage: <names...>: At most ${MOST_NAMES} at a time.`, WRONG_USAGE);
  return all;
}

export const referenceData: Group = (program, action) => {
  for (const [command, kind, what] of KINDS) {
    const group = program.command(command).description(`${what} of an acquirer, which its terminals can have`);
    const names = () => argument('<names...>', 'one or more names; quote names with spaces', name);

    /** Prints the current names. */
    async function show({ service, print }: Session, acquirer: Acquirer): Promise<void> {
      const current = await namesOf(service, acquirer, kind);
      await print(current, `The ${what} of ${nameAndId(acquirer)}: ${list(current)}.`);
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
      .description(`remove ${what}; terminals that have them keep them`)
      .addArgument(acquirerId())
      .addArgument(names())
      .action(
        action(async (session, id: string, given: string[]) => {
          const { service, confirm } = session;
          const removed = distinct(session, given);
          const acquirer = await service.getAcquirer(id);
          const existing = await namesOf(service, acquirer, kind);
          const unknown = removed.filter((each) => !existing.includes(each));
          if (unknown.length > 0) throw new Stop(`Unknown ${what}: ${list(unknown)}. Nothing was changed.`);
          await confirm(`remove the ${what} ${list(removed)} of ${nameAndId(acquirer)}`);
          await service.removeReferenceData(id, kind, removed);
          await show(session, acquirer);
        }),
      );

    group
      .command('list')
      .description(`list an acquirer's ${what}`)
      .addArgument(acquirerId())
      .action(action(async (session, id: string) => show(session, await session.service.getAcquirer(id))));
  }
};
