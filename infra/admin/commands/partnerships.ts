import { acquirerId } from '../input.ts';
import { nameAndId } from '../output.ts';
import type { Group, Service } from '../session.ts';

/** The names and ids of both acquirers, for messages. */
const namesOf = async ({ getAcquirer }: Service, ...ids: string[]): Promise<string> =>
  (await Promise.all(ids.map(getAcquirer))).map(nameAndId).join(' and ');

export const partnerships: Group = (program, action) => {
  const group = program.command('partnerships').description('partnerships of distributors and payment providers');

  group
    .command('link')
    .description('make a distributor and a payment provider partners')
    .addArgument(acquirerId('<distributor-id>'))
    .addArgument(acquirerId('<provider-id>'))
    .action(
      action(async ({ service, print }, distributor: string, payment_provider: string) => {
        await service.linkPartners(distributor, payment_provider);
        const names = await namesOf(service, distributor, payment_provider);
        await print({ distributor, payment_provider, partners: true }, `${names} are partners.`);
      }),
    );

  group
    .command('unlink')
    .description('end a partnership; shared branches stay accessible to both')
    .addArgument(acquirerId('<distributor-id>'))
    .addArgument(acquirerId('<provider-id>'))
    .action(
      action(async ({ service, print, confirm }, distributor: string, payment_provider: string) => {
        const names = await namesOf(service, distributor, payment_provider);
        await confirm(`end the partnership of ${names}`);
        await service.unlinkPartners(distributor, payment_provider);
        await print({ distributor, payment_provider, partners: false }, `${names} are no longer partners.`);
      }),
    );
};
