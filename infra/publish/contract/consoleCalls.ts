import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey, MOST_KEYS } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { signIn } from '../../../lib/people/admission.ts';
import { invitePerson } from '../../../lib/people/people.ts';
import { apiKeyUseKey, tidOf } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { ACQUIRERS, type Acquirers, type AnyStep, LOW_LIMIT, type Request } from './calls.ts';
import type { AnyOperation, ApiResponse, ConsoleOperation } from './invoke.ts';

/*
 * The catalogue of calls of the console's own operations: a valid request of each, and the story from which the examples
 * of docs/console.openapi.json are recorded.
 */

/** What the requests of an admin are about: the ids of what exists. */
interface ConsoleSubject {
  key_id: string;
  person: string;
  invitation: string;
  /** The address of a person to invite. */
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
  search: () => ({ query: { q: 'harbour café' } }),
  listActivity: () => ({ query: { limit: '2' } }),
} satisfies Record<ConsoleOperation, (subject: ConsoleSubject) => Omit<Request, 'key' | 'session'>>;

/** The valid request of an operation. */
export const consoleRequestOf = (
  operation: ConsoleOperation,
  subject: ConsoleSubject,
): Omit<Request, 'key' | 'session'> => REQUESTS[operation](subject);

/** Operations of a person who acts as none of their acquirers. */
const OF_PERSONS: readonly ConsoleOperation[] = ['getSession', 'signOut'];

/** The person of a session, with the acquirer as which they act: a request's `session`. */
const sessionFor = (operation: ConsoleOperation, session: NonNullable<Request['session']>) =>
  OF_PERSONS.includes(operation) ? { ...session, actingAs: 'none' } : session;

/** The people of the story, with the acquirers that they belong to. */
const PEOPLE = {
  admin: { name: 'Inês Duarte', email: 'ines@payfair.example', of: { payfair: 'admin' } },
  operator: { name: 'Otto Weber', email: 'otto@payfair.example', of: { payfair: 'operator' } },
  viewer: { name: 'Vera Novák', email: 'vera@payfair.example', of: { payfair: 'viewer' } },
  northgate: { name: 'Nora Lind', email: 'nora@northgate.example', of: { northgate: 'admin', payfair: 'viewer' } },
  limited: { name: 'Luca Rossi', email: 'luca@quickpay.example', of: { limited: 'admin' } },
} satisfies Record<string, { name: string; email: string; of: Partial<Record<keyof typeof ACQUIRERS, PersonRole>> }>;
type Name = keyof typeof PEOPLE;

/** A request of the story. */
export interface ConsoleStep extends AnyStep<ConsoleOperation> {
  /**
   * Who sends it; by default Payfair's admin. `long_signed_in` is that admin with a session whose sign-in is an hour old,
   * and `ambiguous` sends an API key too.
   */
  as?: Name | 'long_signed_in' | 'ambiguous' | 'nobody';
  /** Fields of the response that are random, and how the examples show them. */
  makes?: Record<string, string>;
}

export type Sessions = Record<Name | 'long_signed_in', NonNullable<Request['session']>>;

/** The credentials of a request of the story. */
export function credentialsOf({ operation, as = 'admin' }: ConsoleStep, sessions: Sessions) {
  const { payfair } = ACQUIRERS;
  if (as === 'nobody') return { session: sessionFor(operation, { cookie: '', actingAs: payfair.id }) };
  const session = sessionFor(operation, as === 'ambiguous' ? sessions.admin : sessions[as]);
  return { session, ...(as === 'ambiguous' && { key: 'any' }) };
}

/** The ids and keys of the examples. They are random in the table, so each recording would have others. */
const PRODUCTION = 'a3c05e7f9b21';
const REPORTS = 'b4d16f80ac32';
const TILL = { key_id: 'c5e27091bd43', api_key: exampleKey('A') };
const TILL_ROTATED = { key_id: 'd6f381a2ce54', api_key: exampleKey('B') };
const REPORTS_ROTATED = { key_id: 'e70492b3df65', api_key: exampleKey('C') };
const UNKNOWN_KEY = 'f815a3c4e076';
const PERSONS: Record<Name, string> = {
  admin: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b01',
  operator: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b02',
  viewer: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b03',
  northgate: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b04',
  limited: '3c5d0a52-6a1e-4f0b-8a57-0f4c1e9d2b05',
};
const INVITATION = { id: '9e1b7c40-52d3-4a68-b0f7-6d2a8c4e5f11' };
/** A terminal that is moved from the first branch to the second. */
const TERMINAL = 'T0000001';
const BRANCHES = { PORTO0001: 'Harbour Café', PORTO0002: 'Harbour Café Station' };
const UNKNOWN = { path: { id: '00000000-0000-4000-8000-000000000000' } };

/** A text in place of an API key, with its prefix and length. */
function exampleKey(letter: string): string {
  return `apk_${'ExampleOfAKey'.repeat(4).slice(0, 47)}${letter}`;
}

const SUBJECT: ConsoleSubject = {
  key_id: TILL.key_id,
  person: PERSONS.viewer,
  invitation: INVITATION.id,
  email: 'maria@payfair.example',
};
const valid = (operation: ConsoleOperation) => consoleRequestOf(operation, SUBJECT);
const OWN = { path: { id: PERSONS.admin } };

/**
 * The requests from which the examples of docs/console.openapi.json are recorded. Each request depends on the earlier ones,
 * and they take less than ten minutes.
 */
export const CONSOLE_STORY: ConsoleStep[] = [
  // Problems that are the same for many operations.
  { operation: 'listKeys', as: 'nobody', isGeneral: true },
  { operation: 'listKeys', as: 'ambiguous', isGeneral: true },
  { operation: 'listKeys', as: 'operator', isGeneral: true },
  { operation: 'createKey', as: 'long_signed_in', isGeneral: true, request: valid('createKey') },
  { operation: 'listKeys', as: 'limited', isGeneral: true, until: 429 },
  { operation: 'listKeys', isGeneral: true, isBroken: true },
  { operation: 'createKey', isGeneral: true, isTooLarge: true },
  { operation: 'createKey', isGeneral: true, request: { body: '{"label": "till-porto"' } },

  { operation: 'getSession', as: 'nobody' },
  { operation: 'getSession' },
  { operation: 'getSession', name: 'several_acquirers', as: 'northgate' },

  { operation: 'listKeys' },
  { operation: 'createKey', request: valid('createKey'), makes: TILL },
  { operation: 'createKey', request: { body: { label: 'till in Porto', role: 'cashier' } } },
  { operation: 'createKey', name: 'too_many', as: 'northgate', request: valid('createKey') },
  { operation: 'rotateKey', request: valid('rotateKey'), makes: TILL_ROTATED },
  { operation: 'rotateKey', request: { ...valid('rotateKey'), body: { overlap_hours: 721 } } },
  { operation: 'rotateKey', name: 'rotated', request: valid('rotateKey') },
  {
    operation: 'rotateKey',
    name: 'at_once',
    request: { path: { id: REPORTS }, body: { overlap_hours: 0 } },
    makes: REPORTS_ROTATED,
  },
  { operation: 'rotateKey', request: { ...valid('rotateKey'), path: { id: UNKNOWN_KEY } } },
  { operation: 'listKeys', name: 'rotated' },
  { operation: 'revokeKey', request: valid('revokeKey') },
  { operation: 'revokeKey', request: valid('revokeKey') },

  { operation: 'invitePerson', request: valid('invitePerson'), makes: INVITATION },
  { operation: 'invitePerson', request: { body: { email: 'maria' } } },
  { operation: 'listPeople' },
  { operation: 'revokeInvitation', request: valid('revokeInvitation') },
  { operation: 'revokeInvitation', request: valid('revokeInvitation') },
  { operation: 'changePerson', request: valid('changePerson') },
  { operation: 'changePerson', request: { ...valid('changePerson'), body: { role: 'full' } } },
  { operation: 'changePerson', request: { ...valid('changePerson'), ...OWN } },
  { operation: 'changePerson', request: { ...valid('changePerson'), ...UNKNOWN } },
  { operation: 'removePerson', request: valid('removePerson') },
  { operation: 'removePerson', request: OWN },
  { operation: 'removePerson', request: valid('removePerson') },

  { operation: 'search', as: 'operator', request: valid('search') },
  { operation: 'search', as: 'operator', name: 'serial_no', request: { query: { q: 'sn20260001' } } },
  { operation: 'search', as: 'operator', name: 'nothing', request: { query: { q: 'nosuchtext' } } },
  { operation: 'search', as: 'operator', request: { query: { q: ' ' } } },
  { operation: 'listActivity', as: 'operator' },
  { operation: 'listActivity', as: 'operator', name: 'first_page', request: valid('listActivity') },
  { operation: 'listActivity', as: 'operator', name: 'terminal', request: { query: { tid: tidOf(TERMINAL) } } },
  { operation: 'listActivity', as: 'operator', name: 'branch', request: { query: { mid: 'PORTO0002' } } },
  { operation: 'listActivity', as: 'operator', request: { query: { mid: 'PORTO0002', tid: tidOf(TERMINAL) } } },
  { operation: 'listActivity', as: 'operator', request: { query: { mid: 'NOSUCHMID' } } },

  { operation: 'signOut', as: 'operator', request: { query: { everywhere: 'all' } } },
  { operation: 'signOut', as: 'operator' },
  { operation: 'signOut', as: 'operator', name: 'invalid_session' },
  { operation: 'signOut', name: 'everywhere', request: valid('signOut') },
];

/** How the story is prepared. */
interface Preparation {
  /** By default those of the examples. */
  acquirers?: Acquirers<'payfair' | 'northgate' | 'limited'>;
  /** Makes an acquirer exist, without API keys and people. */
  register?: (acquirer: Acquirer) => Promise<unknown>;
  /** Where people sign in. */
  issuer?: string;
  /** Sends a request of the story's names. */
  send: (operation: AnyOperation, request: Request) => Promise<ApiResponse>;
  /** Stops the clock so many minutes before the story begins. */
  setClock?: (minutes: number) => void;
}

/**
 * Stores the acquirers, API keys, people and branches of the story.
 *
 * @returns The sessions, and what is random, with the constants that the examples show.
 */
export async function preparePeople({
  acquirers = ACQUIRERS,
  register = createAcquirer,
  issuer = 'https://login.example',
  send,
  setClock = () => {},
}: Preparation): Promise<{ sessions: Sessions; shown: Map<string, string> }> {
  const { payfair, northgate, limited } = acquirers;
  setClock(60 * 24 * 30);
  for (const acquirer of [payfair, northgate, limited]) await register(acquirer);
  await limitAcquirer(limited.id, LOW_LIMIT);
  const production = await issueApiKey(payfair.id, 'production');
  const reports = await issueApiKey(payfair.id, 'reports', { role: 'viewer' });
  for (let count = 0; count < MOST_KEYS; count += 1) await issueApiKey(northgate.id, `till-${count}`, { role: 'till' });
  setClock(60);
  const used = new Date();
  const ttl = Math.ceil(used.getTime() / 1000) + DAY_S;
  await transact([put(apiKeyUseKey(production.key_id), { used_at: used.toISOString(), ttl })]);

  const sessions: Partial<Sessions> = {};
  const shown = new Map([
    [production.key_id, PRODUCTION],
    [reports.key_id, REPORTS],
  ]);
  let minutes = 6;
  const names = Object.keys(PEOPLE) as Name[];
  for (const name of names) {
    const { of, ...person }: { name: string; email: string; of: Partial<Record<keyof typeof acquirers, PersonRole>> } =
      PEOPLE[name];
    const identity = { ...person, issuer, subject: name, isEmailVerified: true };
    // People are listed by when they joined.
    setClock(minutes);
    minutes -= 1;
    const now = Math.floor(Date.now() / 1000);
    for (const [acquirer, role] of Object.entries(of) as [keyof typeof acquirers, PersonRole][]) {
      const { id } = acquirers[acquirer];
      const { link } = await invitePerson(id, { email: person.email, role });
      const options = { invitation: link.split('invitation=')[1], authTime: now, earlier: undefined };
      const cookie = await signIn(identity, options);
      sessions[name] ??= { cookie, actingAs: id };
      shown.set(personIn(cookie), PERSONS[name]);
    }
    if (name === 'admin')
      sessions.long_signed_in = {
        cookie: await signIn(identity, { invitation: undefined, authTime: now - HOUR_S, earlier: undefined }),
        actingAs: payfair.id,
      };
  }
  const { admin } = sessions as Sessions;
  for (const [at, [operation, request]] of BRANCH_CALLS.entries()) {
    setClock((BRANCH_CALLS.length - at) / 2);
    const caller = operation === 'createBranch' ? { key: production.api_key } : { session: admin };
    const { status, body } = await send(operation, { ...request, ...caller });
    if (status >= 300)
      throw new Error(`${operation}, which prepares the story, responded with ${status} ${body.code}.`);
  }
  return { sessions: sessions as Sessions, shown };
}

const [HOUR_S, DAY_S] = [3_600, 86_400];

/** Creates two branches with an API key, and moves a terminal from the one to the other as a person. */
const BRANCH_CALLS: [operation: 'createBranch' | 'reassignTerminal', request: Request][] = [
  ...Object.entries(BRANCHES).map(([mid, branch_name]): ['createBranch', Request] => [
    'createBranch',
    {
      body: {
        mid,
        branch_name,
        city: 'Porto',
        master_merchant_id: 'HARBOURCAFES',
        master_merchant_name: 'Harbour Cafés',
        ...(mid === 'PORTO0001' && { terminals: [{ terminal_id: TERMINAL, serial_no: 'SN20260001' }] }),
      },
    },
  ]),
  ['reassignTerminal', { path: { id: tidOf(TERMINAL) }, body: { mid: 'PORTO0002' } }],
];

/** The person whose UUID the value of a session's cookie begins with. */
const personIn = (cookie: string): string =>
  Buffer.from(cookie.slice(0, 22), 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
