import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { toShownKey } from '../../../../lib/acquirers/shownKey.ts';
import { storedText, uuid } from '../../../../lib/base/fields.ts';
import type { Group } from '../command.ts';
import { argument, limitIn, option, wholeNumber } from '../input.ts';
import { acquirerNamed, expectNewName, namesOfAcquirers } from '../names.ts';
import { acquirerDocument, limitText, list, nameAndId, PARTNERS, TYPES, table, WITHIN } from '../output.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { fieldsText } from '../words.ts';
import { keyTable } from './keys.ts';
import { namesOf } from './referenceData.ts';

async function printChanged({ print }: Session, id: string, textOf: (named: string) => string): Promise<void> {
  const changed = await service.getAcquirer(id);
  await print(acquirerDocument(changed), textOf(nameAndId(changed)));
}

export const acquirers: Group = (program) => {
  const group = program.add('acquirers', 'distributors and payment providers');

  group
    .add('create', 'register an acquirer')
    .addOption(new Option('--type <type>', 'type of acquirer').choices(TYPES).makeOptionMandatory())
    .addOption(option('--name <name>', 'display name', storedText).makeOptionMandatory())
    .addOption(option('--id <uuid>', 'UUID (default: a new one)', uuid))
    .runs(async ({ print }, { type, name, id = randomUUID() }: Omit<Acquirer, 'id'> & { id?: string }) => {
      await expectNewName(name, id);
      const created = await service.createAcquirer({ id, type, name });
      await print(acquirerDocument(created), `Created the ${created.type} ${nameAndId(created)}.`);
    });

  group.add('list', 'list all acquirers, including disabled ones').runs(async ({ print }) => {
    const all = (await service.listAcquirers()).map(acquirerDocument);
    const names = { ID: 'id', TYPE: 'type', NAME: 'name', CREATED: 'created_at', DISABLED: 'disabled_at' } as const;
    await print(all, table(all, names));
  });

  group
    .addOnAcquirer(
      'show',
      'show an acquirer with its limit, partners, reference data, branches, last change and API keys',
    )
    .runsOnAcquirer(async ({ target, print }, shown) => {
      const [last] = await service.eventsOfAcquirer(shown.id, { limit: 1 });
      const [partners, keys] = [
        await service.listReferences(shown, PARTNERS[shown.type]),
        await service.listApiKeys(shown.id),
      ];
      const document = {
        ...acquirerDocument(shown),
        // Absent if it is unknown.
        default_limit: target.limit,
        partners: partners.map(({ id, name }) => ({ id, name })),
        payment_apps: await namesOf(shown, 'PAYMENT_APPS'),
        master_acquirers: await namesOf(shown, 'MASTER_ACQUIRERS'),
        api_keys: keys.map(toShownKey),
        branches: await service.countBranches(shown),
        last_change: last ? { id: last.id, at: last.at, type: last.type, by: last.by.acquirer } : null,
      };
      const { api_keys, ...others } = document;
      const fields = { ...others, partners: list(partners.map(nameAndId)) };
      await print(document, `${fieldsText(fields, await namesOfAcquirers())}\n\nAPI keys:\n${keyTable(keys)}`);
    });

  group
    .addOnAcquirer('rename', 'rename an acquirer; safe to repeat')
    .addArgument(argument('<name>', 'new display name', storedText))
    .runsOnAcquirer(async (session, { id }, name: string) => {
      await expectNewName(name, id);
      await service.renameAcquirer(id, name);
      await printChanged(session, id, (named) => `Renamed ${named}. Partners see the new name ${WITHIN}.`);
    });

  group
    .addOnAcquirer('limit', 'set the rate limit of an acquirer')
    .addOption(option('--rate <count>', 'requests per second', wholeNumber))
    .addOption(
      option('--burst <count>', 'requests at once, 1 to 60 times the rate (default: twice the rate)', wholeNumber),
    )
    .addOption(new Option('--default', "back to the stage's limit").conflicts(['rate', 'burst']))
    .runs(async (session, text: string, options: { rate?: number; burst?: number; default?: true }) => {
      if (!options.rate && !options.default) throw new Stop('Wrong usage: add --rate or --default.', WRONG_USAGE);
      const limit = limitIn(options);
      const { id } = await acquirerNamed(text);
      await service.limitAcquirer(id, limit);
      const now = limit ? limitText(limit) : "the stage's default";
      await printChanged(session, id, (named) => `The limit of ${named} is now ${now}. It applies ${WITHIN}.`);
    });

  group
    .addOnAcquirer('disable', 'disable an acquirer: all its API keys are refused')
    .runsOnAcquirer(async (session, found) => {
      await session.confirm(`disable ${nameAndId(found)}, so that all its API keys are refused ${WITHIN}`);
      await service.disableAcquirer(found.id);
      await printChanged(session, found.id, (named) => `Disabled ${named}: its API keys are refused ${WITHIN}.`);
    });

  group
    .addOnAcquirer('enable', 'enable a disabled acquirer and its API keys')
    .runsOnAcquirer(async (session, { id }) => {
      await service.enableAcquirer(id);
      await printChanged(session, id, (named) => `Enabled ${named}: its API keys work immediately.`);
    });
};
