import type { Group } from '../command.ts';
import { acquirer } from '../input.ts';
import { acquirerNamed } from '../names.ts';
import { nameAndId, WITHIN } from '../output.ts';
import * as service from '../service.ts';

const countText = ({ count, is_complete }: service.SharedBranches): string =>
  `${is_complete ? '' : 'at least '}${count.toLocaleString('en')}`;

export const partnerships: Group = (program) => {
  const group = program.add('partnerships', 'partnerships of distributors and payment providers');
  group
    .add('link', 'make a distributor and a payment provider partners')
    .addArgument(acquirer('<distributor>'))
    .addArgument(acquirer('<provider>'))
    .runsOnAcquirer(async ({ print }, distributor, text: string) => {
      const provider = await acquirerNamed(text);
      await service.linkPartners(distributor.id, provider.id);
      await print(
        { distributor: distributor.id, payment_provider: provider.id, partners: true },
        `${nameAndId(distributor)} and ${nameAndId(provider)} are partners.`,
      );
    });

  group
    .add('unlink', 'end a partnership: the distributor can still read what they share, and not change it')
    .addArgument(acquirer('<distributor>'))
    .addArgument(acquirer('<provider>'))
    .runsOnAcquirer(async ({ print, confirm }, distributor, text: string) => {
      const provider = await acquirerNamed(text);
      const names = `${nameAndId(distributor)} and ${nameAndId(provider)}`;
      const shared = await service.countShared(distributor.id, provider.id);
      await confirm(
        `end the partnership of ${names}, so that ${distributor.name} cannot change what they share (branches: ${countText(shared)})`,
      );
      await service.unlinkPartners(distributor.id, provider.id);
      await print(
        { distributor: distributor.id, payment_provider: provider.id, partners: false, shared_branches: shared },
        `${names} are no longer partners. ${distributor.name} can read what they share, but not change it, ${WITHIN} (branches: ${countText(shared)}).`,
      );
    });
};
