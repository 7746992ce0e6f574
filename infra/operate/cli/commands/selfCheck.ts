import { setting } from '../../../../lib/base/config.ts';
import type { Group } from '../command.ts';
import { explain } from '../explain.ts';
import { list, nameAndId, WITHIN } from '../output.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';

const HELP = `
Registers the self-check's acquirer if it is missing, issues an API key, stores it in the stage's secret and revokes the
earlier keys. The key is never shown. Its next check creates the branch and the terminal that it uses. Run it again to
rotate the key; one check may fail meanwhile.`;

export const selfCheck: Group = (program) => {
  program
    .add('self-check', 'the check that calls the API every minute')
    .add('enable', 'issue a new API key for the self-check')
    .addHelpText('after', HELP)
    .runs(async ({ print }) => {
      const secret = setting('SELF_CHECK_KEY_SECRET');
      const store = (apiKey: string) =>
        service.putSecretText(secret, apiKey).catch((error) => {
          throw new Stop(explain(error, 'self-check secret'));
        });
      const { key_id, revoked } = await service.rotateSelfCheckKey(store);
      const before = revoked.length > 0 ? ` Revoked ${list(revoked)}: refused ${WITHIN}.` : '';
      await print(
        { acquirer: service.SELF_CHECK.id, key_id, secret, revoked },
        `Stored API key ${key_id} of ${nameAndId(service.SELF_CHECK)} in the secret ${secret}.${before}`,
      );
    });
};
