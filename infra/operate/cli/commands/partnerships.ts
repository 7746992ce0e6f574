import type { Group } from '../command.ts';
import { acquirer } from '../input.ts';
import { acquirerNamed } from '../names.ts';
import { nameAndId } from '../output.ts';
import * as service from '../service.ts';

/** The commands, each with whether the acquirers are partners afterwards. */
const COMMANDS = [
  { name: 'link', description: 'make a distributor and a payment provider partners', partners: true },
  { name: 'unlink', description: 'end a partnership; shared branches stay accessible to both', partners: false },
];

export const partnerships: Group = (program) => {
  const group = program.add('partnerships', 'partnerships of distributors and payment providers');
  for (const { name, description, partners } of COMMANDS)
    group
      .add(name, description)
      .addArgument(acquirer('<distributor>'))
      .addArgument(acquirer('<provider>'))
      .runsOnAcquirer(async ({ print, confirm }, distributor, text: string) => {
        const provider = await acquirerNamed(text);
        const names = `${nameAndId(distributor)} and ${nameAndId(provider)}`;
        if (!partners) await confirm(`end the partnership of ${names}`);
        await (partners ? service.linkPartners : service.unlinkPartners)(distributor.id, provider.id);
        await print(
          { distributor: distributor.id, payment_provider: provider.id, partners },
          `${names} are ${partners ? '' : 'no longer '}partners.`,
        );
      });
};
