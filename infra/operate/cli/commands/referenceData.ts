import * as v from 'valibot';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { keyName, storedText } from '../../../../lib/base/fields.ts';
import type { ReferenceData } from '../../../../lib/operator/referenceData.ts';
import { acquirerNamed } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import { argument } from '../input.ts';
import { list, nameAndId } from '../output.ts';
import type { Service, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

/** The groups of commands, one for each kind of reference data. */
const KINDS: [group: string, kind: ReferenceData, what: string][] = [
  ['payment-apps', 'PAYMENT_APPS', 'payment apps'],
  ['master-acquirers', 'MASTER_ACQUIRERS', 'master acquirers'],
];

/** The name of a payment app or master acquirer. */
export const dataName = v.pipe(storedText, keyName);

export const namesOf = async ({ listReferences }: Service, owner: Acquirer, kind: ReferenceData): Promise<string[]> =>
  (await listReferences(owner, kind)).map(({ name }) => name);

/** Removes repeated names. @throws Stop for more names than one transaction can change. */
function distinct({ service: { MOST_NAMES } }: Session, names: string[]): string[] {
  const all = [...new Set(names)];
  if (all.length > MOST_NAMES) throw new Stop(`Wrong usage: <names...>: At most ${MOST_NAMES} at a time.`, WRONG_USAGE);
  return all;
}

export const referenceData: Group = (program) => {
  for (const [command, kind, what] of KINDS) {
    const group = program.add(command, `${what} of an acquirer, which its terminals can have`);
    const names = () => argument('<names...>', 'one or more names; quote names with spaces', dataName);

    /** Prints the current names. */
    async function show({ service, print }: Session, owner: Acquirer): Promise<void> {
      const current = await namesOf(service, owner, kind);
      await print(current, `The ${what} of ${nameAndId(owner)}: ${list(current)}.`);
    }

    group
      .addOnAcquirer('add', `add ${what}; safe to repeat`)
      .addArgument(names())
      .runs(async (session, text: string, given: string[]) => {
        const added = distinct(session, given);
        const owner = await acquirerNamed(session.service, text);
        await session.service.addReferenceData(owner.id, kind, added);
        await show(session, owner);
      });

    group
      .addOnAcquirer('remove', `remove ${what}; terminals that have them keep them`)
      .addArgument(names())
      .runs(async (session, text: string, given: string[]) => {
        const { service, confirm } = session;
        const removed = distinct(session, given);
        const owner = await acquirerNamed(service, text);
        const existing = await namesOf(service, owner, kind);
        const unknown = removed.filter((each) => !existing.includes(each));
        if (unknown.length > 0) throw new Stop(`Unknown ${what}: ${list(unknown)}. Nothing was changed.`);
        await confirm(`remove the ${what} ${list(removed)} of ${nameAndId(owner)}`);
        await service.removeReferenceData(owner.id, kind, removed);
        await show(session, owner);
      });

    group.addOnAcquirer('list', `list an acquirer's ${what}`).runsOnAcquirer(show);
  }
};
