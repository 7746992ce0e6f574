import { describe, expect, test } from '@jest/globals';
import { type Api, createApi } from '../../../../functions/console/app/api/client.ts';
import { Interrupted } from '../../../../functions/console/app/api/interrupted.ts';
import { WAITS } from '../../../../functions/console/app/api/patience.ts';
import {
  changeReport,
  checkSteps,
  loadChange,
  runChange,
  type Step,
  storeChange,
  undoSteps,
} from '../../../../functions/console/app/bulk/changeTerminals.ts';

Object.assign(WAITS, { first: 1, longest: 1, grace: 20 });

const { signal } = new AbortController();

const terminal = (at: number): Step['before'] => ({
  tid: `00000000-0000-4000-8000-00000000000${at}`,
  terminal_id: `T${at}`,
  serial_no: `=SN${at}`,
  terminal_model: null,
  payment_app: 'Till One',
  acquirer_name: null,
  mid: 'OLD',
  status: 'active',
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-02T00:00:00.000Z',
  archived_at: null,
  archive_reason: null,
});
const stepsOf = (change: Step['change'], count = 3): Step[] =>
  Array.from({ length: count }, (_, at) => ({ before: terminal(at), change }));

type Respond = (
  request: Request,
  terminal: Step['before'],
  attempt: number,
) => Promise<[number, object]> | [number, object];

/** A service whose response to each request is made by a function, and the requests that it got. */
function serviceOf(respond: Respond): { api: Api; requests: Request[] } {
  const requests: Request[] = [];
  const send = async (request: Request) => {
    requests.push(request);
    const at = Number(/0{11}(\d)/.exec(request.url)?.[1]);
    const attempt = requests.filter(({ url }) => url === request.url).length;
    const [status, body] = await respond(request, terminal(at), attempt);
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    return Response.json(status < 400 ? { data: body } : { status, detail: 'Why.', ...body }, {
      status,
      headers: { 'content-type': type },
    });
  };
  return { api: createApi('none', { baseUrl: 'http://localhost', send }), requests };
}

describe('a change of several terminals', () => {
  test('is checked with the ETag that each list shows, and nothing is stored', async () => {
    const { api, requests } = serviceOf((_, before) =>
      before.terminal_id === 'T1' ? [412, { code: 'precondition_failed' }] : [200, { ...before, mid: 'NEW' }],
    );
    const outcomes = await checkSteps(api, stepsOf({ do: 'move', mid: 'NEW' }), { signal });
    expect(requests.every(({ url }) => url.endsWith('?validate_only=true'))).toBe(true);
    expect(requests[0]?.headers.get('If-Match')).toBe('"2026-11-02T00:00:00.000Z"');
    expect(requests[0]?.headers.has('Idempotency-Key')).toBe(false);
    expect([...outcomes.values()].map(({ is }) => is).sort()).toEqual(['changed', 'changed', 'refused']);
  });

  test('goes on where it was stopped, is undone as one, and reports each terminal', async () => {
    const storage = new Map<string, unknown>();
    await storeChange(storage, { title: 'Archive', steps: stepsOf({ do: 'archive', reason: 'Old' }, 6) });
    const stopping = new AbortController();
    const first = serviceOf((_, before) => {
      if (before.terminal_id === 'T0') return [400, { code: 'already_archived' }];
      stopping.abort();
      return [200, { ...before, status: 'archived' }];
    });
    const stopped = runChange(first.api, storage, { signal: stopping.signal });
    await expect(stopped).rejects.toEqual(new Interrupted());
    expect(await storeChange(storage, { title: 'Another', steps: [] })).toBe(false);
    const second = serviceOf((_, before) => [200, { ...before, status: 'archived' }]);
    await runChange(second.api, storage, { signal });
    const { stored: { steps } = { steps: [] }, outcomes = new Map() } = (await loadChange(storage)) ?? {};
    expect([first.requests.length, second.requests.length, outcomes.size]).toEqual([4, 2, 6]);
    const undo = undoSteps(steps, outcomes);
    const undone = undo.map(({ before, change }) => `${change.do} ${before.terminal_id}`);
    expect(undone.join()).toBe('restore T1,restore T2,restore T3,restore T4,restore T5');
    const check = serviceOf((_, before) => [200, before]);
    await checkSteps(check.api, undo, { signal });
    const why = check.requests.map(({ url }) => new URL(url).searchParams.get('reason'));
    expect(why).toEqual(Array.from({ length: 5 }, () => 'To undo a change'));
    expect(changeReport(steps, outcomes).split('\r\n')[1]).toBe("T0,'=SN0,OLD,same,,");
  });

  test('asks the terminal itself whether a lost response was a success', async () => {
    const storage = new Map<string, unknown>();
    await storeChange(storage, { title: 'Set', steps: stepsOf({ do: 'set', field: 'payment_app', value: 'Go' }, 2) });
    const { api } = serviceOf((request, before, attempt) => {
      if (request.method === 'GET')
        return [200, { ...before, payment_app: before.terminal_id === 'T0' ? 'Go' : 'Other' }];
      if (attempt === 1) throw new TypeError('Lost.');
      return [412, { code: 'precondition_failed' }];
    });
    const outcomes = (await runChange(api, storage, { signal })) ?? [];
    expect([...outcomes].sort().map(([, { is }]) => is)).toEqual(['changed', 'refused']);
  });

  test('stops with the problem that a person must solve, and changes nothing that is so already', async () => {
    const storage = new Map<string, unknown>();
    await storeChange(storage, { title: 'Restore', steps: stepsOf({ do: 'restore' }) });
    const { api } = serviceOf(() => [403, { code: 'insufficient_permission' }]);
    await expect(runChange(api, storage, { signal })).rejects.toMatchObject({
      problem: { code: 'insufficient_permission' },
    });
    const none = serviceOf(() => [500, {}]);
    const set = { do: 'set', field: 'payment_app', value: 'Till One' } as const;
    const same = { is: 'same' };
    expect([...(await checkSteps(none.api, stepsOf(set), { signal })).values()]).toEqual([same, same, same]);
    expect(none.requests).toEqual([]);
  });
});
