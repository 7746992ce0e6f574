import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { disableAcquirer, limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { eraseMember } from '../../../lib/operator/members.ts';
import { listPeople, removePerson, revokeInvitation } from '../../../lib/people/people.ts';
import { makeEnabled, unlessGone } from '../cli/selfCheckKey.ts';
import { Stop } from '../cli/stop.ts';
import { MEMBER, OF_CONSOLE, PARTNERS } from './acquirers.ts';

/*
 * What a run does as an operator, with the functions of the operator's tool: see `actAs` in lib/record/operator.ts.
 */

/** The label of the API key that exists as long as a run does. */
const RUNNING = 'verification-runs';

/** Longer than a run takes. A run that was killed keeps others out for so long. */
const LONGEST_MS = 15 * 60_000;

/** Makes an acquirer of this run exist and enables it, without API keys and people: those of an interrupted run are removed. */
export async function register({ limit, ...acquirer }: Acquirer): Promise<void> {
  await makeEnabled(acquirer);
  await limitAcquirer(acquirer.id, limit);
  await removeAccess(acquirer.id);
}

/** The ids of the acquirers that are enabled: those of this run, and of one that was interrupted. */
export async function enabled(): Promise<string[]> {
  const own = new Set([...Object.values(OF_CONSOLE), ...Object.values(PARTNERS)].map(({ id }) => id));
  return (await listAcquirers()).filter(({ id, disabled_at }) => own.has(id) && !disabled_at).map(({ id }) => id);
}

async function removeAccess(id: string): Promise<void> {
  const { people, invitations } = await listPeople(id);
  for (const person of people) await removePerson(id, person.id);
  for (const invitation of invitations) await revokeInvitation(id, invitation.id).catch(unlessGone);
  for (const { key_id, label } of await listApiKeys(id))
    if (label !== RUNNING) await revokeApiKey(id, key_id).catch(unlessGone);
}

/**
 * Makes this the only run with operator access.
 *
 * @returns The id of an API key that no other run can have: a change that the operator's record has.
 * @throws Stop while another run is under way.
 */
export async function begin(): Promise<string> {
  const { limit: _, ...payfair } = PARTNERS.payfair;
  await makeEnabled(payfair);
  const { key_id } = await issueApiKey(payfair.id, RUNNING, { role: 'viewer' });
  // Both of two runs that begin at once see both keys, in the same order.
  for (const other of await listApiKeys(payfair.id)) {
    if (other.label !== RUNNING || other.key_id === key_id) break;
    if (Date.parse(other.created_at) < Date.now() - LONGEST_MS)
      await revokeApiKey(payfair.id, other.key_id).catch(unlessGone);
    else {
      await revokeApiKey(payfair.id, key_id);
      throw new Stop(
        `Another run began at ${other.created_at}. Wait until it has ended. If it was killed, revoke its key: ` +
          `npm run operator -- keys revoke ${payfair.id} ${other.key_id}`,
      );
    }
  }
  return key_id;
}

/** Erases the member, removes all API keys and people, and disables the acquirers. */
export async function end(running: string): Promise<void> {
  await eraseMember(MEMBER).catch(unlessGone);
  const last = PARTNERS.payfair.id;
  for (const id of [...(await enabled()).filter((each) => each !== last), last]) {
    await removeAccess(id);
    await disableAcquirer(id);
  }
  // At last, so that another run begins only now.
  await revokeApiKey(last, running);
}
