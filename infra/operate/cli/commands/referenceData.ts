import * as v from 'valibot';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { keyName, storedText } from '../../../../lib/base/fields.ts';
import type { ReferenceData } from '../../../../lib/operator/referenceData.ts';
import type { Group } from '../command.ts';
import { argument } from '../input.ts';
import { list, nameAndId } from '../output.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';

const KINDS: [group: string, kind: ReferenceData, what: string][] = [
  ['payment-apps', 'PAYMENT_APPS', 'payment apps'],
  ['master-acquirers', 'MASTER_ACQUIRERS', 'master acquirers'],
];

const dataName = v.pipe(storedText, keyName);

export const namesOf = async (owner: Acquirer, kind: ReferenceData): Promise<string[]> =>
  (await service.listReferences(owner, kind)).map(({ name }) => name);

/** Calls `change` with distinct names, at most as many at a time as one transaction can change. */
async function inTransactions(names: string[], change: (some: string[]) => Promise<void>): Promise<void> {
  const all = [...new Set(names)];
  for (let at = 0; at < all.length; at += service.MOST_NAMES) await change(all.slice(at, at + service.MOST_NAMES));
}

export const referenceData: Group = (program) => {
  for (const [command, kind, what] of KINDS) {
    const group = program.add(command, `${what} of an acquirer, which its terminals can have`);
    const names = () => argument('<names...>', 'one or more names; quote names with spaces', dataName);

    async function show({ print }: Session, owner: Acquirer): Promise<void> {
      const current = await namesOf(owner, kind);
      await print(current, `The ${what} of ${nameAndId(owner)}: ${list(current)}.`);
    }

    group
      .addOnAcquirer('add', `add ${what}; safe to repeat`)
      .addArgument(names())
      .runsOnAcquirer(async (session, owner, given: string[]) => {
        await inTransactions(given, (some) => service.addReferenceData(owner.id, kind, some));
        await show(session, owner);
      });

    group
      .addOnAcquirer('remove', `remove ${what}; terminals that have them keep them`)
      .addArgument(names())
      .runsOnAcquirer(async (session, owner, given: string[]) => {
        await session.confirm(`remove the ${what} ${list(given)} of ${nameAndId(owner)}`);
        await inTransactions(given, (some) => service.removeReferenceData(owner.id, kind, some));
        await show(session, owner);
      });

    group.addOnAcquirer('list', `list an acquirer's ${what}`).runsOnAcquirer(show);
  }
};
