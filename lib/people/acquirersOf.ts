import * as v from 'valibot';
import type { StoredAcquirer } from '../acquirers/registry.ts';
import { PERMISSIONS, permissionsOf, personRole } from '../acquirers/roles.ts';
import { browserKey, field, listOf, shownText, time, uuidValue } from '../base/values.ts';
import { getItems } from '../table/client.ts';
import { acquirerKey, membershipKey } from '../table/keys.ts';
import { type Membership, MOST_ACQUIRERS, type Person } from './person.ts';

const ownAcquirer = v.object({
  id: field(uuidValue, 'UUID of the acquirer: send it as `Acting-As`.'),
  type: v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER']),
  name: shownText,
  role: field(personRole, 'What the person may do as this acquirer.'),
  permissions: field(listOf(v.picklist(PERMISSIONS), PERMISSIONS.length), 'What the role permits.'),
  browser_key: field(
    browserKey,
    'AES-256 key, in base64url, with which the browser encrypts what it keeps of the acquirer. Keep it in memory only.',
  ),
});
type OwnAcquirer = v.InferOutput<typeof ownAcquirer>;

export const shownSession = v.object({
  person: v.object({ id: uuidValue, name: shownText, email: v.nullable(shownText) }),
  acquirers: field(listOf(ownAcquirer, MOST_ACQUIRERS), 'The acquirers as which the person may act, by name.'),
  authenticated_at: field(v.nullable(time), 'When the person last signed in at the issuer; `null` if it does not say.'),
  ends_at: field(time, 'When the session ends at the latest (RFC 3339, UTC). It ends after 30 minutes without use.'),
});

/** Lists the acquirers as which a person may act, by name. A disabled one is left out. */
export async function acquirersOf({ id: person, acquirers }: Person): Promise<OwnAcquirer[]> {
  const ids = [...acquirers];
  const found = await getItems<unknown[]>(ids.flatMap((id) => [membershipKey(id, person), acquirerKey(id)]));
  return ids
    .flatMap((id, at): OwnAcquirer[] => {
      const membership = found[2 * at] as Membership | undefined;
      const acquirer = found[2 * at + 1] as StoredAcquirer | undefined;
      if (!membership || !acquirer || acquirer.disabled_at) return [];
      const { role, browser_key } = membership;
      return [{ id, type: acquirer.type, name: acquirer.name, role, permissions: permissionsOf(role), browser_key }];
    })
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
