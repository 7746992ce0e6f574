import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import type { Send } from '../../publish/contract/send.ts';
import { patient } from './replay.ts';

/** Deletes the terminals of a branch, then archives it. A branch cannot be deleted. */
export async function closeBranch(send: Send, key: string, mid: string): Promise<void> {
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
