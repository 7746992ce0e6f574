import { acquirerKey } from '../../lib/table/keys.ts';
import { explain } from './explain.ts';
import type { Service } from './session.ts';
import { Stop } from './stop.ts';

/**
 * Fails before a command about members begins when it cannot reach the table, or the secret with the key of the card hashes.
 *
 * @throws Stop for the secret; the SDK's error for the table.
 */
export async function reachAll({ getItem, secretText }: Service): Promise<void> {
  await getItem(acquirerKey(''));
  await secretText(() => process.env['CARD_HMAC_KEY_SECRET'] ?? '')().catch((error) => {
    throw new Stop(explain(error, 'secret'));
  });
}
