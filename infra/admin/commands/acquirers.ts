import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import type { Acquirer, AcquirerType, Registered } from '../../../lib/acquirer.ts';
import { storedText, uuid } from '../../../lib/base/fields.ts';
import type { Limit } from '../../../lib/base/limit.ts';
import { acquirerId, argument, option, wholeNumber } from '../input.ts';
import { called, columns, list, refused, table } from '../output.ts';
import type { Group } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { keyDocument, keyTable } from './keys.ts';

const TYPES: AcquirerType[] = ['DISTRIBUTOR', 'PAYMENT_PROVIDER'];

/** What an acquirer of each type has as partners. */
const PARTNERS = { DISTRIBUTOR: 'PAYMENT_PROVIDERS', PAYMENT_PROVIDER: 'DISTRIBUTORS' } as const;

const documentOf = ({ id, type, name, limit, created_at, disabled_at }: Registered) => ({
  ...{ id, type, name, created_at },
  limit: limit ?? null,
  disabled_at: disabled_at ?? null,
});

const described = (limit: Limit | undefined): string =>
  limit ? `${limit.rate} requests a second, ${limit.burst} at once` : "the stage's";

export const acquirers: Group = (program, action) => {
  const group = program.command('acquirers').description('distributors and payment providers');

  group
    .command('create')
    .description('register an acquirer')
    .addOption(new Option('--type <type>', 'what it is').choices(TYPES).makeOptionMandatory())
    .addOption(option('--name <name>', 'what people call it', storedText).makeOptionMandatory())
    .addOption(option('--id <uuid>', 'its UUID (default: a new one)', uuid))
    .action(
      action(
        async ({ service, response }, { type, name, id = randomUUID() }: Omit<Acquirer, 'id'> & { id?: string }) => {
          const acquirer = await service.createAcquirer({ id, type, name });
          await response(documentOf(acquirer), `Created the ${acquirer.type} ${called(acquirer)}.`);
        },
      ),
    );

  group
    .command('list')
    .description('all acquirers, disabled ones included')
    .action(
      action(async ({ service, response }) => {
        const all = (await service.listAcquirers()).map(documentOf);
        const rows = all.map(({ id, type, name, created_at, disabled_at }) => [
          id,
          type,
          name,
          created_at,
          disabled_at ?? '',
        ]);
        await response(all, table(['ID', 'TYPE', 'NAME', 'CREATED', 'DISABLED'], rows));
      }),
    );

  group
    .command('show')
    .description('all that is known of an acquirer')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, response }, id: string) => {
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
          ['limit', described(acquirer.limit)],
          ['disabled', acquirer.disabled_at ?? 'no'],
          ['partners', list(partners.map((partner) => called({ ...acquirer, ...partner })))],
          ['payment apps', list(document.payment_apps)],
          ['master acquirers', list(document.master_acquirers)],
          ['branches', String(total)],
        ]);
        await response(document, `${shown}\n\nAPI keys:\n${keyTable(keys)}`);
      }),
    );

  group
    .command('rename')
    .description('give an acquirer another name, everywhere; safe to repeat')
    .addArgument(acquirerId())
    .addArgument(argument('<name>', 'what people call it', storedText))
    .action(
      action(async ({ service, response }, id: string, name: string) => {
        await service.renameAcquirer(id, name);
        const acquirer = await service.getAcquirer(id);
        await response(
          documentOf(acquirer),
          `Renamed ${called(acquirer)}: everybody sees it within ${service.CACHE_MS / 1000} seconds.`,
        );
      }),
    );

  group
    .command('limit')
    .description('give an acquirer a rate limit of its own')
    .addArgument(acquirerId())
    .addOption(option('--rate <count>', 'requests a second', wholeNumber))
    .addOption(
      option('--burst <count>', 'requests at once, 1 to 60 times the rate (default: twice the rate)', wholeNumber),
    )
    .addOption(new Option('--default', "the stage's limit again").conflicts(['rate', 'burst']))
    .action(
      action(async ({ service, response }, id: string, options: { rate?: number; burst?: number; default?: true }) => {
        const { rate, burst = 2 * (rate ?? 0) } = options;
        if (!rate && !options.default) throw new Stop('Wrong usage: name --rate, or --default.', WRONG_USAGE);
        await service.limitAcquirer(id, rate ? { rate, burst } : undefined);
        const acquirer = await service.getAcquirer(id);
        const inForce = `in force within ${service.CACHE_MS / 1000} seconds`;
        await response(
          documentOf(acquirer),
          `The limit of ${called(acquirer)} is ${described(acquirer.limit)}, ${inForce}.`,
        );
      }),
    );

  group
    .command('disable')
    .description('refuse all API keys of an acquirer')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, response, confirm }, id: string) => {
        const acquirer = called(await service.getAcquirer(id));
        await confirm(`disable ${acquirer}, so that all its API keys are ${refused(service)}`);
        await service.disableAcquirer(id);
        await response(
          documentOf(await service.getAcquirer(id)),
          `Disabled ${acquirer}: its API keys are ${refused(service)}.`,
        );
      }),
    );

  group
    .command('enable')
    .description('let a disabled acquirer in again, with the API keys that it had')
    .addArgument(acquirerId())
    .action(
      action(async ({ service, response }, id: string) => {
        await service.enableAcquirer(id);
        const acquirer = await service.getAcquirer(id);
        await response(documentOf(acquirer), `Enabled ${called(acquirer)}: its API keys work at once.`);
      }),
    );
};
