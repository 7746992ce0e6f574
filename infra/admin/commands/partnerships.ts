import { acquirerId } from '../input.ts';
import { called } from '../output.ts';
import type { Group, Service } from '../session.ts';

/** Both acquirers as a sentence names them. */
const namesOf = async ({ getAcquirer }: Service, ...ids: string[]): Promise<string> =>
  (await Promise.all(ids.map(getAcquirer))).map(called).join(' and ');

export const partnerships: Group = (program, action) => {
  const group = program.command('partnerships').description('which distributor acts for which payment provider');

  group
    .command('link')
    .description('make a distributor and a payment provider partners')
    .addArgument(acquirerId('<distributor-id>'))
    .addArgument(acquirerId('<provider-id>'))
    .action(
      action(async ({ service, response }, distributor: string, payment_provider: string) => {
        await service.linkPartners(distributor, payment_provider);
        const names = await namesOf(service, distributor, payment_provider);
        await response({ distributor, payment_provider, partners: true }, `${names} are partners.`);
      }),
    );

  group
    .command('unlink')
    .description('end a partnership; branches that both have stay accessible to both')
    .addArgument(acquirerId('<distributor-id>'))
    .addArgument(acquirerId('<provider-id>'))
    .action(
      action(async ({ service, response, confirm }, distributor: string, payment_provider: string) => {
        const names = await namesOf(service, distributor, payment_provider);
        await confirm(`end the partnership of ${names}`);
        await service.unlinkPartners(distributor, payment_provider);
        await response({ distributor, payment_provider, partners: false }, `${names} are no partners any more.`);
      }),
    );
};
