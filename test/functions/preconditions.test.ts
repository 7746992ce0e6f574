import { beforeAll, describe, expect, test } from '@jest/globals';
import { beforeNextWrite } from '../lib/table/intercept.ts';
import { type ApiResponse, call, expectProblem, type Operation, type Request } from '../support/api.ts';
import { NO_TERMINAL } from '../support/constants.ts';
import { newRequests } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';
import { newBranch, newSharedBranch, newTerminal, unique, type World } from '../support/world.ts';

/* ETags and If-Match. */

let world: World;
/** Makes a request that the operation accepts once, from the payment provider. */
let requestOf: (operation: Operation) => Promise<Request>;
beforeAll(async () => {
  ({ world, requestOf } = await newRequests());
});

interface State {
  updated_at: string;
  archived_at: string | null;
}

/** The ETag that a client makes of a branch or terminal in a list. */
const tagOf = ({ updated_at, archived_at }: State): string =>
  `"${updated_at}${archived_at === null ? '' : `/${archived_at}`}"`;
const tagIn = ({ headers }: ApiResponse) => headers['etag'];

/** Sends a request as the payment provider. */
const send = (operation: Operation, request: Request) => call(operation, { key: world.provider.key, ...request });

/** The ETag of a branch: that of `getBranch`, which is that of a find, and made of a list. */
async function tagOfBranch(mid: string): Promise<string | undefined> {
  const tag = tagIn(await send('getBranch', { path: { mid } }));
  expect(tagIn(await send('find', { query: { mid } }))).toBe(tag);
  const { headers, body } = await send('listBranches', { query: { search: mid } });
  expect(headers).not.toHaveProperty('etag');
  expect(body.data.map(tagOf)).toEqual([tag]);
  return tag;
}

/** The ETag of a terminal: that of a find, and made of the list of its branch. */
async function tagOfTerminal(tid: string): Promise<string | undefined> {
  const found = await send('find', { query: { tid } });
  const { headers, body } = await send('listTerminals', { path: { id: found.body.data.mid } });
  expect(headers).not.toHaveProperty('etag');
  expect(tagOf(body.data.find((terminal: { tid: string }) => terminal.tid === tid))).toBe(tagIn(found));
  return tagIn(found);
}

test('every visible change of a branch or terminal moves its ETag, and no other change does', async () => {
  const created = await send('createBranch', {
    body: { mid: unique('MID'), master_merchant_id: unique('MM'), terminals: [{ terminal_id: unique('T') }] },
  });
  const { mid, terminals } = created.body.data;
  const [{ tid }] = terminals;
  const { mid: other } = await newBranch(world.provider);
  const [branch, terminal] = [{ path: { mid } }, { path: { id: tid } }];
  const tags = async () => ({
    branch: await tagOfBranch(mid),
    terminal: await tagOfTerminal(tid),
    other: tagIn(await send('getBranch', { path: { mid: other } })),
  });
  type Name = keyof Awaited<ReturnType<typeof tags>>;

  let now = await tags();
  expect(tagIn(created)).toBe(now.branch);
  const seen = new Set(Object.entries(now).map(String));

  /** Makes a change, and asserts which ETags it moves. The response has the first one. */
  const expectMoves = async (operation: Operation, request: Request, ...moved: Name[]) => {
    const response = await send(operation, request);
    expect(response.status).toBeLessThan(300);
    const before = now;
    now = await tags();
    const isOfOne = !Array.isArray(response.body.data) && 'updated_at' in response.body.data;
    expect(tagIn(response)).toBe(isOfOne ? now[moved[0] as Name] : undefined);
    for (const name of Object.keys(now) as Name[])
      if (moved.includes(name)) {
        const tag = String([name, now[name]]);
        expect([operation, tag, seen.has(tag)]).toEqual([operation, tag, false]);
        seen.add(tag);
      } else expect([operation, name, now[name]]).toEqual([operation, name, before[name]]);
    return response.body.data;
  };

  await expectMoves('updateBranch', { ...branch, body: { city: 'Braga' } }, 'branch');
  const [{ tid: added }] = await expectMoves(
    'createTerminals',
    { path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } },
    'branch',
  );
  await expectMoves('deleteTerminal', { path: { id: added } }, 'branch');
  await expectMoves('updateTerminal', { ...terminal, body: { terminal_model: 'Handheld 2' } }, 'terminal');
  await expectMoves('archiveTerminal', { ...terminal, body: { reason: 'Stolen' } }, 'terminal');
  // It stays as it is, because it was archived by itself.
  await expectMoves('archiveBranch', branch, 'branch');
  await expectMoves('restoreBranch', branch, 'branch');
  await expectMoves('restoreTerminal', terminal, 'terminal');
  await expectMoves('archiveBranch', branch, 'branch', 'terminal');
  await expectMoves('restoreBranch', branch, 'branch', 'terminal');
  await expectMoves('reassignTerminal', { ...terminal, body: { mid: other } }, 'terminal', 'branch', 'other');
  // The list without a search is read from an index.
  const { body } = await send('listBranches', { query: { per_page: '2' } });
  expect(body.data.map(tagOf)).toEqual([now.other, now.branch]);
});

const CONDITIONAL = [
  ...(['updateBranch', 'archiveBranch', 'restoreBranch', 'updateTerminal', 'archiveTerminal'] as const),
  ...(['restoreTerminal', 'reassignTerminal', 'deleteTerminal'] as const),
];

const withTags = (request: Request, ...tags: unknown[]): Request => ({
  ...request,
  headers: { 'if-match': tags.join(', ') },
});

/** The current state of what a request changes. */
const readOf = async ({ path }: Request): Promise<ApiResponse> =>
  path?.['mid'] ? send('getBranch', { path }) : send('find', { query: { tid: path?.['id'] as string } });

/** Changes it, so that the request is still possible. Returns the new ETag. */
async function touch({ path }: Request): Promise<string | undefined> {
  const value = unique('Value ');
  const response = path?.['mid']
    ? await send('updateBranch', { path, body: { city: value } })
    : await send('updateTerminal', { path, body: { terminal_model: value } });
  return tagIn(response);
}

/** Asserts a 412 with this ETag. */
function expectOutdated(response: ApiResponse, tag: string | undefined): void {
  expectProblem(
    response,
    'precondition_failed',
    `If-Match does not list the current ETag ${tag}. Read it again, then decide whether to repeat your change.`,
  );
  expect(response.headers['etag']).toBe(tag);
}

/** Sends a request with these ETags. Just before its write, another request changes the same branch or terminal. */
async function sendLate(operation: Operation, request: Request, ...tags: unknown[]) {
  let tag: string | undefined;
  beforeNextWrite(async () => {
    tag = await touch(request);
  });
  return { response: await send(operation, withTags(request, ...tags)), tag };
}

test.each(CONDITIONAL)(
  '%s returns 412 with the current ETag and stores nothing if If-Match is outdated, or becomes so',
  async (operation) => {
    const request = await requestOf(operation);
    const outdated = tagIn(await readOf(request));
    const late = await storedBy(() => sendLate(operation, request, outdated));
    const { response, tag } = late.response;
    expect(tag).not.toBe(outdated);
    expectOutdated(response, tag);
    // That of the other request.
    expect(late.events?.[world.provider.id]).toHaveLength(1);

    // Of an earlier state, weak too, of nothing, without quotation marks, and without what follows updated_at.
    const tags = [outdated, `W/${outdated}`, '"*"', 'W/"*"', tag?.slice(1, -1), tag?.slice(0, -2)];
    const again = await storedBy(() => send(operation, withTags(request, ...tags)));
    expectOutdated(again.response, tag);
    expect(again.changed).toEqual({});
    expect((await send(operation, withTags(request, outdated, ` ${tag}\t`))).status).toBe(200);
  },
);

test.each<[string, (tag: string) => string]>([
  ['nginx, a CDN', (tag) => `W/${tag}`],
  ['Apache', (tag) => tag.replace(/"$/, '-gzip"')],
  ['Apache with brotli', (tag) => tag.replace(/"$/, '-br"')],
  ['Jetty', (tag) => tag.replace(/"$/, '--gzip"')],
])(
  'If-Match takes an ETag as %s makes it when it compresses the response, and refuses it once it is outdated',
  async (_, altered) => {
    for (const operation of ['updateBranch', 'deleteTerminal'] as const) {
      const request = await requestOf(operation);
      const outdated = tagIn(await readOf(request)) as string;
      const tag = (await touch(request)) as string;
      const refused = await storedBy(() => send(operation, withTags(request, altered(outdated))));
      expectOutdated(refused.response, tag);
      expect(refused.changed).toEqual({});
      expect((await send(operation, withTags(request, '"x"', altered(tag)))).status).toBe(200);
    }
  },
);

describe('If-Match', () => {
  test('with * accepts a change even if another one changes the same just before the write', async () => {
    for (const operation of ['archiveBranch', 'archiveTerminal'] as const) {
      const { response, tag } = await sendLate(operation, await requestOf(operation), '"x"', '*');
      expect([response.status, tag]).toEqual([200, expect.any(String)]);
    }
  });

  test.each([
    ...(['updateTerminal', 'archiveTerminal', 'reassignTerminal', 'deleteTerminal'] as const),
    'restoreTerminal' as const,
  ])('of a terminal is checked also against its branch, in the write of %s', async (operation) => {
    const isRestore = operation === 'restoreTerminal';
    const request = await requestOf(isRestore ? 'archiveTerminal' : operation);
    const path = { mid: (await readOf(request)).body.data.mid };
    // The terminal is archived with its branch.
    if (isRestore) await send('archiveBranch', { path });
    const outdated = tagIn(await readOf(request));
    beforeNextWrite(() => send(isRestore ? 'restoreBranch' : 'archiveBranch', { path }));
    const response = await send(operation, withTags(request, outdated));
    const now = tagIn(await readOf(request));
    expect(now).not.toBe(outdated);
    expectOutdated(response, now);
  });

  test.each(CONDITIONAL)(
    'does not stop %s if a terminal of its branch, or the branch of its terminal, is updated just before its write',
    async (operation) => {
      const request = await requestOf(operation);
      const read = await readOf(request);
      const { mid } = read.body.data;
      const [{ tid }] = (await send('listTerminals', { path: { id: mid } })).body.data;
      let touched: string | undefined;
      beforeNextWrite(async () => {
        // A terminal of the branch, or the branch of the terminal.
        touched = await touch({ path: request.path?.['mid'] ? { id: tid } : { mid } });
      });
      const { status } = await send(operation, withTags(request, tagIn(read)));
      expect([touched, status]).toEqual([expect.any(String), 200]);
    },
  );

  test('gets 404 for what was deleted, with any ETag', async () => {
    const { tid } = await newTerminal(world.provider, (await newSharedBranch(world)).mid);
    const request = { path: { id: tid } };
    const tag = tagIn(await readOf(request));
    beforeNextWrite(() => send('deleteTerminal', request));
    const update = (...tags: unknown[]) =>
      send('updateTerminal', withTags({ ...request, body: { terminal_model: 'X' } }, ...tags));
    expectProblem(await update(tag), 'not_found', NO_TERMINAL);
    expectProblem(await update('*'), 'not_found', NO_TERMINAL);
  });

  test('is checked before the status', async () => {
    const { mid } = await newSharedBranch(world);
    const active = tagIn(await readOf({ path: { mid } }));
    await send('archiveBranch', { path: { mid } });
    const archive = (tag: unknown) => send('archiveBranch', withTags({ path: { mid } }, tag));
    const tag = tagIn(await readOf({ path: { mid } }));
    expectOutdated(await archive(active), tag);
    expectProblem(await archive(tag), 'already_archived', 'The branch is already archived.');
  });

  test('is checked also if the request would change nothing', async () => {
    const { mid, updated_at } = await newSharedBranch(world, { city: 'Porto' });
    const update = (tag: string) => send('updateBranch', withTags({ path: { mid }, body: { city: 'Porto' } }, tag));
    for (const tag of ['"x"', '']) expectOutdated(await update(tag), `"${updated_at}"`);
    expect((await update(`"${updated_at}"`)).body.data.updated_at).toBe(updated_at);
  });

  test('does not stop the retry of a reassignment with its Idempotency-Key', async () => {
    const request = await requestOf('reassignTerminal');
    const tag = tagIn(await readOf(request)) as string;
    const keyed = { ...request, headers: { 'idempotency-key': unique('key'), 'if-match': tag } };
    const first = await send('reassignTerminal', keyed);
    expect(first.status).toBe(200);
    const { response, changed } = await storedBy(() => send('reassignTerminal', keyed));
    expect([response.status, response.body, changed]).toEqual([200, first.body, {}]);
    expect(response.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: tagOf(first.body.data) });
  });
});
