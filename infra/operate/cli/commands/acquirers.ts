import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { toShownKey } from '../../../../lib/acquirers/shownKey.ts';
import { storedText, uuid } from '../../../../lib/base/fields.ts';
import type { Limit } from '../../../../lib/base/limit.ts';
import { acquirerNamed, namesOfAcquirers } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import { wordsOfPartner } from '../eventText.ts';
import { argument, limitIn, option, wholeNumber } from '../input.ts';
import { acquirerDocument, columns, limitText, list, nameAndId, PARTNERS, TYPES, table, within } from '../output.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import type { Target } from '../target.ts';
import { keyTable } from './keys.ts';
import { onboard } from './onboard.ts';
import { namesOf } from './referenceData.ts';

/** The rate limit in force, for messages. */
function limitInForce(own: Limit | undefined, { limit }: Target): string {
  if (own) return limitText(own);
  if (limit === undefined) return "the stage's default (rate and burst of the stage in infra/stack/stages.yml)";
  return `${limit ? limitText(limit) : 'none'} (the stage's default)`;
}

export const acquirers: Group = (program) => {
  const group = program.add('acquirers', 'distributors and payment providers');

  group
    .add('create', 'register an acquirer')
    .addOption(new Option('--type <type>', 'type of acquirer').choices(TYPES).makeOptionMandatory())
    .addOption(option('--name <name>', 'display name', storedText).makeOptionMandatory())
    .addOption(option('--id <uuid>', 'UUID (default: a new one)', uuid))
    .runs(async ({ service, print }, { type, name, id = randomUUID() }: Omit<Acquirer, 'id'> & { id?: string }) => {
      const created = await service.createAcquirer({ id, type, name });
      await print(acquirerDocument(created), `Created the ${created.type} ${nameAndId(created)}.`);
    });

  group.add('list', 'list all acquirers, including disabled ones').runs(async ({ service, print }) => {
    const all = (await service.listAcquirers()).map(acquirerDocument);
    const names = { ID: 'id', TYPE: 'type', NAME: 'name', CREATED: 'created_at', DISABLED: 'disabled_at' } as const;
    await print(all, table(all, names));
  });

  group
    .addOnAcquirer(
      'show',
      'show an acquirer with its limit, partners, reference data, branches, last change and API keys',
    )
    .runsOnAcquirer(async ({ service, target, print }, shown) => {
      const [partners, paymentApps, masterAcquirers, keys, branches, [last], nameOf] = await Promise.all([
        service.listReferences(shown, PARTNERS[shown.type]),
        namesOf(service, shown, 'PAYMENT_APPS'),
        namesOf(service, shown, 'MASTER_ACQUIRERS'),
        service.listApiKeys(shown.id),
        service.countBranches(shown),
        service.eventsOfAcquirer(shown.id, { limit: 1 }),
        namesOfAcquirers(service, ({ name }) => name),
      ]);
      const document = {
        ...acquirerDocument(shown),
        // Absent if it is unknown.
        default_limit: target.limit,
        partners: partners.map((partner) => ({ id: partner.id, name: partner.name })),
        payment_apps: paymentApps,
        master_acquirers: masterAcquirers,
        api_keys: keys.map(toShownKey),
        branches,
        last_change: last ? { id: last.id, at: last.at, type: last.type, by: last.by.acquirer } : null,
      };
      const change = last && wordsOfPartner(last, nameOf);
      const lines = columns([
        ['id', shown.id],
        ['type', shown.type],
        ['name', shown.name],
        ['created', shown.created_at],
        ['limit', limitInForce(shown.limit, target)],
        ['disabled', shown.disabled_at ?? 'no'],
        ['partners', list(partners.map(nameAndId))],
        ['payment apps', list(document.payment_apps)],
        ['master acquirers', list(document.master_acquirers)],
        ['branches', String(branches)],
        ['last change', change ? `${change.at} ${change.what}, by ${change.who}` : 'none'],
      ]);
      await print(document, `${lines}\n\nAPI keys:\n${keyTable(keys)}`);
    });

  group
    .addOnAcquirer('rename', 'rename an acquirer; safe to repeat')
    .addArgument(argument('<name>', 'new display name', storedText))
    .runsOnAcquirer(async ({ service, print }, { id }, name: string) => {
      await service.renameAcquirer(id, name);
      const renamed = await service.getAcquirer(id);
      await print(
        acquirerDocument(renamed),
        `Renamed ${nameAndId(renamed)}. Partners see the new name ${within(service)}.`,
      );
    });

  group
    .addOnAcquirer('limit', 'set the rate limit of an acquirer')
    .addOption(option('--rate <count>', 'requests per second', wholeNumber))
    .addOption(
      option('--burst <count>', 'requests at once, 1 to 60 times the rate (default: twice the rate)', wholeNumber),
    )
    .addOption(new Option('--default', "back to the stage's limit").conflicts(['rate', 'burst']))
    .runs(
      async ({ service, target, print }, text: string, options: { rate?: number; burst?: number; default?: true }) => {
        if (!options.rate && !options.default) throw new Stop('Wrong usage: add --rate or --default.', WRONG_USAGE);
        const limit = limitIn(options);
        const { id } = await acquirerNamed(service, text);
        await service.limitAcquirer(id, limit);
        const limited = await service.getAcquirer(id);
        await print(
          acquirerDocument(limited),
          `The limit of ${nameAndId(limited)} is now ${limitInForce(limited.limit, target)}. It applies ${within(service)}.`,
        );
      },
    );

  group
    .addOnAcquirer('disable', 'disable an acquirer: all its API keys are refused')
    .runsOnAcquirer(async ({ service, print, confirm }, found) => {
      const named = nameAndId(found);
      await confirm(`disable ${named}, so that all its API keys are refused ${within(service)}`);
      await service.disableAcquirer(found.id);
      await print(
        acquirerDocument(await service.getAcquirer(found.id)),
        `Disabled ${named}: its API keys are refused ${within(service)}.`,
      );
    });

  group
    .addOnAcquirer('enable', 'enable a disabled acquirer and its API keys')
    .runsOnAcquirer(async ({ service, print }, { id }) => {
      await service.enableAcquirer(id);
      const enabled = await service.getAcquirer(id);
      await print(acquirerDocument(enabled), `Enabled ${nameAndId(enabled)}: its API keys work immediately.`);
    });

  onboard(group);
};
