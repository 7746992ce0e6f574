import { acquirerNamed } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import { acquirer } from '../input.ts';
import { nameAndId } from '../output.ts';
import type { Service } from '../session.ts';

/** Both acquirers of a partnership, with their names and ids for messages. */
async function partnersNamed(service: Service, ...texts: [distributor: string, provider: string]) {
  const [distributor, provider] = [await acquirerNamed(service, texts[0]), await acquirerNamed(service, texts[1])];
  return {
    distributor: distributor.id,
    provider: provider.id,
    names: `${nameAndId(distributor)} and ${nameAndId(provider)}`,
  };
}

export const partnerships: Group = (program) => {
  const group = program.command('partnerships').description('partnerships of distributors and payment providers');

  group
    .command('link')
    .description('make a distributor and a payment provider partners')
    .addArgument(acquirer('<distributor>'))
    .addArgument(acquirer('<provider>'))
    .runs(async ({ service, print }, ...texts: [string, string]) => {
      const { distributor, provider: payment_provider, names } = await partnersNamed(service, ...texts);
      await service.linkPartners(distributor, payment_provider);
      await print({ distributor, payment_provider, partners: true }, `${names} are partners.`);
    });

  group
    .command('unlink')
    .description('end a partnership; shared branches stay accessible to both')
    .addArgument(acquirer('<distributor>'))
    .addArgument(acquirer('<provider>'))
    .runs(async ({ service, print, confirm }, ...texts: [string, string]) => {
      const { distributor, provider: payment_provider, names } = await partnersNamed(service, ...texts);
      await confirm(`end the partnership of ${names}`);
      await service.unlinkPartners(distributor, payment_provider);
      await print({ distributor, payment_provider, partners: false }, `${names} are no longer partners.`);
    });
};
