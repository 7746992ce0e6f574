import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { disableAcquirer, limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { eraseMember } from '../../../lib/operator/members.ts';
import { listPeople, removePerson, revokeInvitation } from '../../../lib/people/people.ts';
import type { Send } from '../../publish/contract/send.ts';
import { makeEnabled, unlessGone } from '../cli/selfCheckKey.ts';
import { Stop } from '../cli/stop.ts';
import { MEMBER, OF_CONSOLE, PARTNERS } from './acquirers.ts';
import { patient } from './replay.ts';

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

/** Deletes the terminals of a branch, then archives it. A branch cannot be deleted. */
async function closeBranch(send: Send, key: string, mid: string): Promise<void> {
  const { body } = await patient(send, 'listTerminals', { key, path: { id: mid }, query: { per_page: '100' } });
  for (const { tid } of body.data ?? []) await patient(send, 'deleteTerminal', { key, path: { id: tid } });
  const archived = await patient(send, 'archiveBranch', { key, path: { mid } });
  if (archived.status !== 200 && !['already_archived', 'not_found'].includes(archived.body.code))
    throw new Error(`The branch ${mid} is left: ${archived.status} ${archived.body.code}.`);
}

/**
 * Closes the branches of an acquirer of verify, also those of an interrupted run. They are among the newest: older runs have
 * archived theirs.
 */
export async function closeBranches(send: Send, acquirer: string): Promise<void> {
  // The story may have revoked its own.
  const { api_key: key } = await issueApiKey(acquirer, 'verification');
  for (let page = 1; ; page += 1) {
    const { status, body } = await patient(send, 'listBranches', { key, query: { per_page: '100', page: `${page}` } });
    if (status !== 200) throw new Error(`The branches of ${acquirer} are left: ${status} ${body.code}.`);
    const open = body.data.filter(({ status }: { status: string }) => status === 'active');
    for (const { mid } of open) await closeBranch(send, key, mid);
    if (open.length === 0 || body.links.next === null) return;
  }
}
