import { recordKeyUse } from '../acquirers/keyUse.ts';
import { type Permission, requirePermission } from '../acquirers/roles.ts';
import { Problem } from '../base/problem.ts';
import { recordMembershipUse, recordSessionUse } from '../people/session.ts';
import type { Incoming, Middleware } from './middleware.ts';

/** How long ago a person may have signed in at the issuer to change API keys, people or webhooks, in seconds. */
export const RECENT_S = 15 * 60;

export const CHANGING_ROUTE = /^(POST|PATCH|DELETE) /;

/** Whether an operation changes who has access to an acquirer's data: API keys, people, and where webhooks deliver. */
export const changesAccess = (needs: Permission | undefined, { routeKey }: Pick<Incoming, 'routeKey'>): boolean =>
  (needs === 'administer' || needs === 'manage_webhooks') && CHANGING_ROUTE.test(routeKey);

/**
 * Checks that the caller's role permits the operation, before anything is read or written for it.
 *
 * @throws Problem `insufficient_permission`; `sign_in_again` for a change of API keys, people or webhooks by a person
 *   who signed in more than {@link RECENT_S} ago.
 */
export const authorize = (needs: Permission | undefined): Middleware => ({
  before: function authorize({ event }) {
    const { caller } = event;
    if (!needs || !caller) return;
    requirePermission(caller.role, caller.kind, needs);
    if (caller.kind !== 'person' || !changesAccess(needs, event)) return;
    if (Date.now() / 1000 - caller.auth_time > RECENT_S)
      throw new Problem(
        'sign_in_again',
        'Changes of API keys, people and webhooks need a sign-in within the last 15 minutes. Sign in again, then ' +
          'repeat the request.',
      );
  },
});

const recordUses = async (sha256: string, { acquirer, author, caller }: Incoming): Promise<void> => {
  const person = acquirer && caller?.kind === 'person' && author?.person;
  await Promise.all([recordSessionUse(sha256), person && recordMembershipUse(acquirer.id, person, caller.started_at)]);
};

/**
 * Records the use of the API key or of the session while the handler runs. The response waits for it, because Lambda
 * stops the process after the response. A request that no person caused, such as that of a timer, has the header
 * `Unattended: true`: it does not extend the session.
 */
export const recordUse = (): Middleware => {
  const finish: NonNullable<Middleware['after']> = async function recordUse({ event }) {
    await event.use;
  };
  return {
    before: function recordUse({ event }) {
      const { caller, author, session, headers } = event;
      const sha256 = caller?.kind === 'person' ? caller.sha256 : session?.sha256;
      if (sha256 && headers['unattended'] === 'true') return;
      event.use = sha256 ? recordUses(sha256, event) : recordKeyUse(author?.key_id as string);
    },
    after: finish,
    onError: finish,
  };
};
