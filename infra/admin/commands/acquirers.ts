import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import type { Acquirer, AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import { storedText, uuid } from '../../../lib/base/fields.ts';
import type { Limit } from '../../../lib/base/limit.ts';
import type { StoredAcquirer } from '../../../lib/operator/acquirers.ts';
import { acquirerId, argument, option, wholeNumber } from '../input.ts';
import { columns, list, nameAndId, refusedWithin, table } from '../output.ts';
import type { Group } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { keyDocument, keyTable } from './keys.ts';

const TYPES: AcquirerType[] = ['DISTRIBUTOR', 'PAYMENT_PROVIDER'];

/** The lookup of an acquirer's partners, by its type. */
const PARTNERS = { DISTRIBUTOR: 'PAYMENT_PROVIDERS', PAYMENT_PROVIDER: 'DISTRIBUTORS' } as const;

const documentOf = ({ id, type, name, limit, created_at, disabled_at }: StoredAcquirer) => ({
  id,
  type,
  name,
  created_at,
  limit: limit ?? null,
  disabled_at: disabled_at ?? null,
});

const limitText = (limit: Limit | undefined): string =>
  limit ? `${limit.rate} requests a second, ${limit.burst} at once` : "the stage's";

export const acquirers: Group = (program, action) => {
  const group = program.command('acquirers').description('distributors and payment providers');

  group
    .command('create')
    .description('register an acquirer')
    .addOption(new Option('--type <type>', 'type of acquirer').choices(TYPES).makeOptionMandatory())
    .addOption(option('--name <name>', 'display name', storedText).makeOptionMandatory())
    .addOption(option('--id <uuid>', 'UUID (default: a new one)', uuid))
    .action(
      action(async ({ service, print }, { type, name, id = randomUUID() }: Omit<Acquirer, 'id'> & { id?: string }) => {
        const acquirer = await service.createAcquirer({ id, type, name });
        await print(documentOf(acquirer), `Created the ${acquirer.type} ${nameAndId(acquirer)}.`);
      }),
    );

  group
    .command('list')
    .description('list all acquirers, including disabled ones')
    .action(
      action(async ({ service, print }) => {
        const all = (await service.listAcquirers()).map(documentOf);
        const rows = all.map(({ id, type, name, created_at, disabled_at }) => [
          id,
          type,
          name,
          created_at,
          disabled_at ?? '',
        ]);
        await print(all, table(['ID', 'TYPE', 'NAME', 'CREATED', 'DISABLED'], rows));
      }),
    );

  group
    .command('show')
    .description('show an acquirer with its partners, reference data and API keys')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, print }, id: string) => {
        const acquirer = await service.getAcquirer(id);
        const [partners, paymentApps, masterAcquirers, keys, { total }] = await Promise.all([
          service.listReferences(acquirer, PARTNERS[acquirer.type]),
          service.listReferences(acquirer, 'PAYMENT_APPS'),
          service.listReferences(acquirer, 'MASTER_ACQUIRERS'),
          service.listApiKeys(id),
          service.listBranches(acquirer, { page: 1, per_page: 1, sort: 'desc' }),
        ]);
        const document = {
          ...documentOf(acquirer),
          partners: partners.map((partner) => ({ id: partner.id, name: partner.name })),
          payment_apps: paymentApps.map(({ name }) => name),
          master_acquirers: masterAcquirers.map(({ name }) => name),
          api_keys: keys.map(keyDocument),
          branches: total,
        };
        const shown = columns([
          ['id', id],
          ['type', acquirer.type],
          ['name', acquirer.name],
          ['created', acquirer.created_at],
          ['limit', limitText(acquirer.limit)],
          ['disabled', acquirer.disabled_at ?? 'no'],
          ['partners', list(partners.map(nameAndId))],
          ['payment apps', list(document.payment_apps)],
          ['master acquirers', list(document.master_acquirers)],
          ['branches', String(total)],
        ]);
        await print(document, `${shown}\n\nAPI keys:\n${keyTable(keys)}`);
      }),
    );

  group
    .command('rename')
    .description('rename an acquirer; safe to repeat')
    .addArgument(acquirerId())
    .addArgument(argument('<name>', 'new display name', storedText))
    .action(
      action(async ({ service, print }, id: string, name: string) => {
        await service.renameAcquirer(id, name);
        const acquirer = await service.getAcquirer(id);
        await print(
          documentOf(acquirer),
          `Renamed ${nameAndId(acquirer)}. Partners see the new name within ${service.CACHE_MS / 1000} seconds.`,
        );
      }),
    );

  group
    .command('limit')
    .description('set the rate limit of an acquirer')
    .addArgument(acquirerId())
    .addOption(option('--rate <count>', 'requests per second', wholeNumber))
    .addOption(
      option('--burst <count>', 'requests at once, 1 to 60 times the rate (default: twice the rate)', wholeNumber),
    )
    .addOption(new Option('--default', "back to the stage's limit").conflicts(['rate', 'burst']))
    .action(
      action(async ({ service, print }, id: string, options: { rate?: number; burst?: number; default?: true }) => {
        const { rate, burst = 2 * (rate ?? 0) } = options;
        if (!rate && !options.default) throw new Stop('Wrong usage: add --rate or --default.', WRONG_USAGE);
        await service.limitAcquirer(id, rate ? { rate, burst } : undefined);
        const acquirer = await service.getAcquirer(id);
        const within = `within ${service.CACHE_MS / 1000} seconds`;
        await print(
          documentOf(acquirer),
          `The limit of ${nameAndId(acquirer)} is now ${limitText(acquirer.limit)}. It applies ${within}.`,
        );
      }),
    );

  group
    .command('disable')
    .description('disable an acquirer: all its API keys are refused')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, print, confirm }, id: string) => {
        const acquirer = nameAndId(await service.getAcquirer(id));
        await confirm(`disable ${acquirer}, so that all its API keys are ${refusedWithin(service)}`);
        await service.disableAcquirer(id);
        await print(
          documentOf(await service.getAcquirer(id)),
          `Disabled ${acquirer}: its API keys are ${refusedWithin(service)}.`,
        );
      }),
    );

  group
    .command('enable')
    .description('enable a disabled acquirer and its API keys')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, print }, id: string) => {
        await service.enableAcquirer(id);
        const acquirer = await service.getAcquirer(id);
        await print(documentOf(acquirer), `Enabled ${nameAndId(acquirer)}: its API keys work immediately.`);
      }),
    );
};
