import { currentCardKeys } from '../../../lib/members/cardKeys.ts';
import { getItem } from '../../../lib/table/client.ts';
import { acquirerKey } from '../../../lib/table/keys.ts';
import { explain } from './explain.ts';
import { Stop } from './stop.ts';

/**
 * Checks that the table and the card HMAC key can be read, before a command about members begins.
 *
 * @throws Stop for the secret; the SDK's error for the table.
 */
export async function checkAccess(): Promise<void> {
  await getItem(acquirerKey(''));
  await currentCardKeys().catch((error) => {
    throw new Stop(explain(error, 'secret'));
  });
}
