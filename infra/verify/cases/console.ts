import { randomUUID } from 'node:crypto';
import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import type { ApiResponse, ConsoleOperation, Request } from '../../local/invoke.ts';
import type { Case } from '../case.ts';
import { Failure, type FunctionName, Skipped } from '../failure.ts';
import { personIn } from '../operator.ts';
import { expect, type World } from '../world.ts';

/** Calls an operation as an admin of the provider. */
const asAdmin =
  (world: World) =>
  async (operation: ConsoleOperation, request: Request = {}, status = 200): Promise<ApiResponse['body']> => {
    const session = await world.operator().session('admin');
    return (await world.call(operation, { ...request, session }, status)).body;
  };

/** Whether a list has something with this id. */
const found = (list: { id?: string; key_id?: string }[], id: string): boolean =>
  list.some((each) => (each.id ?? each.key_id) === id);

const MOST_HOPS = 10;

/**
 * Signs a person in, as a browser does.
 *
 * @returns The cookie of the session.
 * @throws Skipped if the issuer shows a page.
 */
async function enter(world: World, query: Record<string, string>, earlier = ''): Promise<string> {
  const begun = await world.page('signIn', `/console/sign-in?${new URLSearchParams(query)}`, { cookies: earlier });
  expectRedirect(begun, 'signIn', 'does not lead to the issuer');
  const callback = `${world.place.baseUrl}/console/callback`;
  const cookies = new Map<string, string>();
  let at = begun.location;
  for (let hops = 1; !at.startsWith(callback); hops += 1) {
    const response = await fetch(at, { redirect: 'manual', headers: { cookie: [...cookies.values()].join('; ') } });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      cookies.set(pair.replace(/=.*/, ''), pair);
    }
    const next = response.headers.get('location');
    if (!next || hops === MOST_HOPS) throw new Skipped('the issuer asks the person who signs in');
    at = new URL(next, at).href;
  }
  const sent = [begun.cookie, earlier].filter(Boolean).join('; ');
  const done = await world.page('callback', at.slice(world.place.baseUrl.length), { cookies: sent });
  expectRedirect(done, 'callback', 'does not sign in');
  expect(done.cookie.startsWith(`${SESSION_COOKIE}=`), 'sets no session', 'callback');
  return done.cookie;
}

type Page = Awaited<ReturnType<World['page']>>;

function expectRedirect({ status, requestId, text }: Page, operation: FunctionName, what: string): void {
  const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(text) ?? [];
  if (status !== 303) throw new Failure(`${operation} ${what}: ${status} ${title}`, { operation, requestId });
}

function expectFile({ status, requestId }: Page, path: string, isWhole: boolean): void {
  if (status !== 200 || !isWhole)
    throw new Failure(`openConsole: ${path}: ${status}`, { operation: 'openConsole', requestId });
}

/** For stages with a console. */
export const CONSOLE: Case[] = [
  {
    name: 'the console’s page loads, with all that it refers to',
    covers: ['openConsole'],
    run: async (world) => {
      for (const path of ['/console', '/console/branches/any']) {
        const page = await world.page('openConsole', path);
        expectFile(page, path, page.text.startsWith('<!doctype html>'));
        const assets = [...page.text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
          ([, each]) => each as string,
        );
        expect(assets.length > 2, 'the page refers to no files', 'openConsole');
        for (const asset of path === '/console' ? assets : []) {
          const file = await world.page('openConsole', asset);
          expectFile(file, asset, file.text.length > 0);
        }
      }
    },
  },
  {
    name: 'a person sees who they are, and signs out',
    covers: ['getSession', 'signOut'],
    run: async (world) => {
      const operator = world.operator();
      const own = async (query = {}) => {
        const session = await operator.session('viewer', { subject: 'leaving', isNew: true });
        const none = { ...session, actingAs: 'none' };
        const { body } = await world.call('getSession', { session: none }, 200);
        expect(body.data.acquirers[0]?.id === world.provider.id, 'lacks the acquirer', 'getSession');
        await world.call('signOut', { session: none, query }, 200);
        await world.call('signOut', { session: none }, [401, 'invalid_session']);
      };
      await own();
      await own({ everywhere: 'true' });
    },
  },
  {
    name: 'an admin creates, rotates and revokes API keys',
    covers: ['listKeys', 'createKey', 'rotateKey', 'revokeKey'],
    run: async (world) => {
      const call = asAdmin(world);
      const create = async (label: string) =>
        (await call('createKey', { body: { label, role: 'till' } }, 201)).data.key_id as string;
      const [one, other] = [await create('verification-one'), await create('verification-other')];
      const rotate = async (id: string, overlap_hours: number) =>
        (await call('rotateKey', { path: { id }, body: { overlap_hours } }, 201)).data.key_id as string;
      const [nextOne, nextOther] = [await rotate(one, 1), await rotate(other, 0)];
      const listed = (await call('listKeys')).data;
      expect(
        [one, nextOne, nextOther].every((id) => found(listed, id)),
        'lacks a key',
        'listKeys',
      );
      expect(!found(listed, other), 'lists a key that was replaced at once', 'listKeys');
      for (const id of [one, nextOne, nextOther]) await call('revokeKey', { path: { id } });
    },
  },
  {
    name: 'the last use of an API key is shown',
    covers: ['listKeys'],
    run: async (world) => {
      await world.call('listBranches', {}, 200);
      const { data } = await asAdmin(world)('listKeys');
      expect(
        data.some(({ last_used_at }: { last_used_at: string | null }) => last_used_at),
        'no key was used',
        'listKeys',
      );
    },
  },
  {
    name: 'an admin’s change removes keys that have expired',
    covers: ['createKey', 'rotateKey'],
    run: async (world) => {
      const call = asAdmin(world);
      const operator = world.operator();
      await operator.expiredKey();
      const { data } = await call('createKey', { body: { label: 'verification-expiry', role: 'viewer' } }, 201);
      await operator.expiredKey();
      const rotated = await call('rotateKey', { path: { id: data.key_id }, body: { overlap_hours: 1 } }, 201);
      for (const id of [data.key_id, rotated.data.key_id]) await call('revokeKey', { path: { id } });
    },
  },
  {
    name: 'an admin invites people, changes their roles and removes them',
    covers: ['listPeople', 'invitePerson', 'revokeInvitation', 'changePerson', 'removePerson'],
    run: async (world) => {
      const call = asAdmin(world);
      const operator = world.operator();
      const body = { email: `invited-${world.tag.toLowerCase()}@verification.invalid`, role: 'viewer' };
      await call('invitePerson', { body }, 201);
      // The second replaces the first.
      const { id } = (await call('invitePerson', { body }, 201)).data;
      expect(found((await call('listPeople')).data.invitations, id), 'lacks the invitation', 'listPeople');
      await call('revokeInvitation', { path: { id } });
      const leaving = personIn(await operator.session('viewer', { subject: `leaving-${world.tag}` }));
      await call('changePerson', { path: { id: leaving }, body: { role: 'operator' } });
      await call('removePerson', { path: { id: leaving } });
      const ofBoth = personIn(await operator.session('viewer', { subject: `both-${world.tag}` }));
      await operator.join(`both-${world.tag}`, 'distributor');
      await call('removePerson', { path: { id: ofBoth } });
      const left = (await call('listPeople')).data.people;
      expect(!found(left, leaving) && !found(left, ofBoth), 'still has them', 'listPeople');
      await call('removePerson', { path: { id: randomUUID() } }, 404);
    },
  },
  {
    name: 'people search by text, and see what happened',
    covers: ['search', 'listActivity'],
    run: async (world) => {
      const call = asAdmin(world);
      const subject = world.subject();
      await world.prepare('getBranch', subject);
      const { mid, terminal_id, serial_no } = subject;
      for (const q of [mid, terminal_id, serial_no, tidOf(terminal_id), serial_no.toLowerCase()]) {
        const { data } = await call('search', { query: { q } });
        expect(data.terminals.length + data.branches.length > 0, `does not find ${q}`, 'search');
      }
      await world.operator().unindexBranch(mid);
      await call('search', { query: { q: `verification ${mid}` } });
      const latest = await call('listActivity', { query: { limit: '50' } });
      expect(latest.data.events.length > 0, 'is empty', 'listActivity');
      const session = await world.operator().session('admin');
      for (const query of [{ mid }, { tid: tidOf(terminal_id) }])
        await world.eventually(
          'listActivity',
          { session, query },
          'the creation',
          ({ data }) => data.events.length > 0,
        );
    },
  },
  {
    name: 'what happened to a terminal that was created with others, or that is another acquirer’s',
    covers: ['listActivity'],
    run: async (world) => {
      const subject = world.subject();
      await world.prepare('createTerminals', subject);
      const terminals = [world.subject(), world.subject()].map(({ terminal_id }) => ({ terminal_id }));
      const { body } = await world.call('createTerminals', { path: { id: subject.mid }, body: { terminals } }, 201);
      const session = await world.operator().session('admin');
      const query = { tid: body.data[0].tid };
      await world.eventually('listActivity', { session, query }, 'the creation', ({ data }) => data.events.length > 0);
      await world.call('listActivity', { session, query: { tid: randomUUID() } }, [404, 'not_found']);
    },
  },
  {
    name: 'a sign-in leads to the issuer, and a forged one is refused',
    covers: ['signIn', 'callback'],
    run: async (world) => {
      const begun = await world.page('signIn', '/console/sign-in');
      expectRedirect(begun, 'signIn', 'does not lead to the issuer');
      const state = new URL(begun.location).searchParams.get('state') ?? '';
      const forged = `/console/callback?${new URLSearchParams({ code: 'forged', state })}`;
      const refused = await world.page('callback', forged, { cookies: begun.cookie });
      if (refused.status < 400 || refused.text.includes('Sign-in unavailable') || refused.text.includes('Server error'))
        throw new Failure(`callback: ${refused.status}`, { operation: 'callback', requestId: refused.requestId });
      for (const [page, path] of [
        ['signIn', '/console/sign-in'],
        ['callback', '/console/callback'],
      ] as const)
        for (let sent = 1; sent <= 3; sent += 1) await world.page(page, path);
    },
  },
  {
    name: 'a person who was invited signs in, again and at another acquirer',
    covers: ['signIn', 'callback'],
    run: async (world) => {
      const operator = world.operator();
      const { personAtIssuer: login_hint } = world.place;
      if (!login_hint) throw new Skipped('the issuer asks the person who signs in: sign in at /console once');
      const invitation = await operator.invite(login_hint, 'viewer');
      const session = await enter(world, { login_hint, invitation });
      const again = await enter(world, { login_hint }, session);
      await enter(world, { login_hint, invitation: await operator.invite(login_hint, 'viewer', 'distributor') }, again);
      await operator.removePeople(login_hint);
    },
  },
];
