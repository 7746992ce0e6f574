import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey, MOST_KEYS } from '../../../lib/acquirers/keyring.ts';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { signIn } from '../../../lib/people/admission.ts';
import { invitePerson } from '../../../lib/people/people.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { ACQUIRERS, type Acquirers, type AnyStep, LOW_LIMIT, type Request, stepOf } from './calls.ts';

/*
 * The catalogue of calls of the console's own operations: a valid request of each, and a story in which each of them
 * succeeds and has each of its problems.
 */

/** What the requests of an admin are about: the ids of what exists. */
interface ConsoleSubject {
  key_id: string;
  person: string;
  invitation: string;
  email: string;
}

const REQUESTS = {
  getSession: () => ({}),
  signOut: () => ({ query: { everywhere: 'true' } }),
  listKeys: () => ({}),
  createKey: () => ({ body: { label: 'till-porto', role: 'till' } }),
  rotateKey: ({ key_id }) => ({ path: { id: key_id }, body: { overlap_hours: 24 } }),
  revokeKey: ({ key_id }) => ({ path: { id: key_id } }),
  listPeople: () => ({}),
  invitePerson: ({ email }) => ({ body: { email, role: 'operator' } }),
  revokeInvitation: ({ invitation }) => ({ path: { id: invitation } }),
  changePerson: ({ person }) => ({ path: { id: person }, body: { role: 'operator' } }),
  removePerson: ({ person }) => ({ path: { id: person } }),
  leave: () => ({}),
  search: () => ({ query: { q: 'harbour café' } }),
  listActivity: () => ({ query: { limit: '2' } }),
  listAccessChanges: () => ({ query: { limit: '2' } }),
  listLastSeen: () => ({ query: { since: '2026-01-01T00:00:00.000Z' } }),
} satisfies Record<string, (subject: ConsoleSubject) => Omit<Request, 'key' | 'session'>>;
export type ConsoleOperation = keyof typeof REQUESTS;
export const CONSOLE_CALLS = Object.keys(REQUESTS) as ConsoleOperation[];

export const consoleRequestOf = (
  operation: ConsoleOperation,
  subject: ConsoleSubject,
): Omit<Request, 'key' | 'session'> => REQUESTS[operation](subject);

/** Operations of a person who acts as none of their acquirers. */
const OF_PERSONS: readonly ConsoleOperation[] = ['getSession', 'signOut'];

/** The person of a session, with the acquirer as which they act: a request's `session`. */
const sessionFor = (operation: ConsoleOperation, session: NonNullable<Request['session']>) =>
  OF_PERSONS.includes(operation) ? { ...session, actingAs: 'none' } : session;

interface Person {
  name: string;
  email: string;
  of: Partial<Record<keyof typeof ACQUIRERS, PersonRole>>;
}

/** The people of the story, with the acquirers that they belong to. */
const PEOPLE = {
  admin: { name: 'Inês Duarte', email: 'ines@payfair.example', of: { payfair: 'admin' } },
  operator: { name: 'Otto Weber', email: 'otto@payfair.example', of: { payfair: 'operator' } },
  viewer: { name: 'Vera Novák', email: 'vera@payfair.example', of: { payfair: 'viewer' } },
  northgate: { name: 'Nora Lind', email: 'nora@northgate.example', of: { northgate: 'admin', payfair: 'viewer' } },
  limited: { name: 'Luca Rossi', email: 'luca@quickpay.example', of: { limited: 'admin' } },
} satisfies Record<string, Person>;
type Name = keyof typeof PEOPLE;

export interface ConsoleStep extends AnyStep<ConsoleOperation> {
  /**
   * Who sends it; by default Payfair's admin. `long_signed_in` is that admin with a session whose sign-in is an hour old,
   * and `ambiguous` sends an API key too.
   */
  as?: Name | 'long_signed_in' | 'ambiguous' | 'nobody';
}

export type Sessions = Record<Name | 'long_signed_in', NonNullable<Request['session']>>;

export function credentialsOf({ operation, as = 'admin' }: ConsoleStep, sessions: Sessions) {
  const { payfair } = ACQUIRERS;
  if (as === 'nobody') return { session: sessionFor(operation, { cookie: '', actingAs: payfair.id }) };
  const session = sessionFor(operation, as === 'ambiguous' ? sessions.admin : sessions[as]);
  return { session, ...(as === 'ambiguous' && { key: 'any' }) };
}

/** What stands for ids in the requests. They are random in the table. */
const REPORTS = 'b4d16f80ac32';
const TILL = { key_id: 'c5e27091bd43' };
const INVITATION = { id: '9e1b7c40-52d3-4a68-b0f7-6d2a8c4e5f11' };
const PERSONS: Record<Name, string> = {
  admin: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b01',
  operator: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b02',
  viewer: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b03',
  northgate: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b04',
  limited: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b05',
};
/** A terminal that is moved from the first branch to the second. */
const TERMINAL = 'T0000001';

const SUBJECT: ConsoleSubject = {
  key_id: TILL.key_id,
  person: PERSONS.viewer,
  invitation: INVITATION.id,
  email: 'maria@payfair.example',
};
const valid = (operation: ConsoleOperation) => consoleRequestOf(operation, SUBJECT);
const OWN = { path: { id: PERSONS.admin } };
const UNKNOWN = { path: { id: '00000000-0000-4000-8000-000000000000' } };
const UNKNOWN_KEY = { path: { id: 'f815a3c4e076' } };
const ROTATED_AT_ONCE = { path: { id: REPORTS }, body: { overlap_hours: 0 } };
const TOO_LONG = { ...valid('rotateKey'), body: { overlap_hours: 721 } };
const TWO_SUBJECTS = { query: { mid: 'PORTO0002', tid: tidOf(TERMINAL) } };

/** By default, the request is the valid one of its operation. */
const step = (operation: ConsoleOperation, name: string, request = valid(operation), more: Partial<ConsoleStep> = {}) =>
  stepOf<ConsoleOperation, Partial<ConsoleStep>>(operation, name, request, more);
/** A problem that is the same for many operations. */
const general = (operation: ConsoleOperation, code: string, more: Partial<ConsoleStep>): ConsoleStep =>
  step(operation, code, valid(operation), { isGeneral: true, ...more });
const INVALID = { code: 'validation_failed' } as const;
const BY_OPERATOR = { as: 'operator' } as const;
const BY_NORTHGATE = { as: 'northgate' } as const;
const FOUND = { ...BY_OPERATOR, isFind: true } as const;

/**
 * The requests of which docs/console.openapi.json has examples. Each request depends on the earlier ones, and they take less
 * than ten minutes.
 */
export const CONSOLE_STORY: ConsoleStep[] = [
  general('listKeys', 'invalid_session', { as: 'nobody' }),
  general('listKeys', 'ambiguous_credentials', { as: 'ambiguous' }),
  general('listKeys', 'insufficient_permission', { as: 'operator' }),
  general('createKey', 'sign_in_again', { as: 'long_signed_in' }),
  general('listKeys', 'rate_limited', { as: 'limited', until: 429 }),
  general('listKeys', 'server_error', { isBroken: true }),
  general('createKey', 'body_too_large', { isTooLarge: true }),
  general('createKey', 'malformed_json', { request: { body: '{"label": "till-porto"' } }),

  step('getSession', 'invalid_session', {}, { as: 'nobody' }),
  step('getSession', 'success'),
  step('getSession', 'several_acquirers', {}, { as: 'northgate' }),

  step('listKeys', 'success'),
  step('createKey', 'success', valid('createKey'), { makes: TILL }),
  step('createKey', 'validation_failed', { body: { label: 'till in Porto', role: 'cashier' } }),
  step('createKey', 'too_many', valid('createKey'), { as: 'northgate', ...INVALID }),
  step('rotateKey', 'success'),
  step('rotateKey', 'validation_failed', TOO_LONG),
  step('rotateKey', 'rotated', valid('rotateKey'), INVALID),
  step('rotateKey', 'at_once', ROTATED_AT_ONCE),
  step('rotateKey', 'not_found', { ...valid('rotateKey'), ...UNKNOWN_KEY }),
  step('listKeys', 'rotated', {}, { isFind: true }),
  step('revokeKey', 'success'),
  step('revokeKey', 'not_found'),

  step('invitePerson', 'success', valid('invitePerson'), { makes: INVITATION }),
  step('invitePerson', 'validation_failed', { body: { email: 'maria' } }),
  step('listPeople', 'success'),
  step('revokeInvitation', 'success'),
  step('revokeInvitation', 'not_found'),
  step('changePerson', 'success'),
  step('changePerson', 'validation_failed', { ...valid('changePerson'), body: { role: 'full' } }),
  step('changePerson', 'last_admin', { ...valid('changePerson'), ...OWN }),
  step('changePerson', 'not_found', { ...valid('changePerson'), ...UNKNOWN }),
  step('removePerson', 'success'),
  step('removePerson', 'last_admin', OWN),
  step('removePerson', 'not_found'),

  step('search', 'success', valid('search'), FOUND),
  step('search', 'serial_no', { query: { q: 'sn20260001' } }, FOUND),
  step('search', 'nothing', { query: { q: 'nosuchtext' } }, BY_OPERATOR),
  step('search', 'invalid_query', { query: { q: ' ' } }, BY_OPERATOR),
  step('listActivity', 'success', {}, FOUND),
  step('listActivity', 'first_page', valid('listActivity'), FOUND),
  step('listActivity', 'terminal', { query: { tid: tidOf(TERMINAL) } }, FOUND),
  step('listActivity', 'branch', { query: { mid: 'PORTO0002' } }, FOUND),
  step('listActivity', 'invalid_query', TWO_SUBJECTS, BY_OPERATOR),
  step('listActivity', 'not_found', { query: { mid: 'NOSUCHMID' } }, BY_OPERATOR),

  step('listActivity', 'of_a_kind', { query: { type: 'terminal.archived' } }, BY_OPERATOR),

  step('listAccessChanges', 'success', {}, { isFind: true }),
  step('listAccessChanges', 'first_page'),
  step('listAccessChanges', 'invalid_query', { query: { limit: 'all' } }),

  step('listLastSeen', 'success', valid('listLastSeen'), BY_OPERATOR),
  step('listLastSeen', 'invalid_query', { query: { since: 'yesterday' } }, BY_OPERATOR),
  step('listLastSeen', 'not_found', { query: { mid: 'NOSUCHMID' } }, BY_OPERATOR),

  step('leave', 'last_admin'),
  step('leave', 'success', {}, BY_OPERATOR),
  step('signOut', 'invalid_query', { query: { everywhere: 'all' } }, BY_NORTHGATE),
  step('signOut', 'success', {}, BY_NORTHGATE),
  step('signOut', 'invalid_session', {}, BY_NORTHGATE),
  general('leave', 'unknown_parameter', { request: { query: { validate_only: 'true' } }, code: 'invalid_query' }),
  general('leave', 'misplaced_check', { request: { body: { dry_run: true } }, ...INVALID }),
  step('signOut', 'everywhere'),
];

type Sent = { status: number; body: { code?: string } };

interface Preparation {
  /** In place of those of the story. */
  acquirers: Acquirers<'payfair' | 'northgate' | 'limited'>;
  /** Makes an acquirer exist, without API keys and people. */
  register: (acquirer: Acquirer) => Promise<unknown>;
  issuer: string;
  /** Sends a request of the story's names. */
  send: (operation: 'createBranch' | 'reassignTerminal', request: Request) => Promise<Sent>;
}

/**
 * Stores the acquirers, API keys, people and branches of the story.
 *
 * @returns The sessions, and what stands for ids in the story's requests, with the ids.
 */
export async function preparePeople({
  acquirers,
  register,
  issuer,
  send,
}: Preparation): Promise<{ sessions: Sessions; ids: Map<string, string> }> {
  const { payfair, northgate, limited } = acquirers;
  for (const acquirer of [payfair, northgate, limited]) await register(acquirer);
  await limitAcquirer(limited.id, LOW_LIMIT);
  const production = await issueApiKey(payfair.id, 'production');
  const reports = await issueApiKey(payfair.id, 'reports', { role: 'viewer' });
  for (let count = 0; count < MOST_KEYS; count += 1) await issueApiKey(northgate.id, `till-${count}`, { role: 'till' });

  const sessions: Partial<Sessions> = {};
  const ids = new Map([[REPORTS, reports.key_id]]);
  const now = Math.floor(Date.now() / 1000);
  for (const [name, { of, ...person }] of Object.entries(PEOPLE) as [Name, Person][]) {
    const identity = { ...person, issuer, subject: name, isEmailVerified: true };
    for (const [acquirer, role] of Object.entries(of) as [keyof typeof acquirers, PersonRole][]) {
      const { id } = acquirers[acquirer];
      const { link } = await invitePerson(id, { email: person.email, role });
      const invitation = link.split('invitation=')[1];
      const cookie = await signIn(identity, { invitation, authTime: now, earlier: undefined });
      sessions[name] ??= { cookie, actingAs: id };
      ids.set(PERSONS[name], personIn(cookie));
    }
    if (name !== 'admin') continue;
    const cookie = await signIn(identity, { invitation: undefined, authTime: now - HOUR_S, earlier: undefined });
    sessions.long_signed_in = { cookie, actingAs: payfair.id };
  }
  const { admin } = sessions as Sessions;
  const key = production.api_key;
  for (const [operation, request, caller] of [
    ...BRANCHES.map((body) => ['createBranch', { body }, { key }] as const),
    ['reassignTerminal', { path: { id: tidOf(TERMINAL) }, body: { mid: 'PORTO0002' } }, { session: admin }] as const,
  ]) {
    const { status, body } = await send(operation, { ...request, ...caller });
    if (status >= 300)
      throw new Error(`${operation}, which prepares the story, responded with ${status} ${body.code}.`);
  }
  return { sessions: sessions as Sessions, ids };
}

const HOUR_S = 3_600;

const branch = { city: 'Porto', master_merchant_id: 'HARBOURCAFES', master_merchant_name: 'Harbour Cafés' };
const terminals = [{ terminal_id: TERMINAL, serial_no: 'SN20260001' }];
const BRANCHES = [
  { ...branch, mid: 'PORTO0001', branch_name: 'Harbour Café', terminals },
  { ...branch, mid: 'PORTO0002', branch_name: 'Harbour Café Station' },
];

/** The person whose UUID the value of a session's cookie begins with. */
const personIn = (cookie: string): string =>
  Buffer.from(cookie.slice(0, 22), 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
