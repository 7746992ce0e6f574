import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { FEED } from '../../../lib/events/feed.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { type CastName, filled, type World } from '../../support/cast.ts';
import { installGate } from '../../support/interleaving.ts';

/** A call with names for ids; by P1, unless it says otherwise. */
export type Given = [operation: Operation, request?: Request | undefined, caller?: CastName | undefined];

/** Makes a call. A server error would be one in any order. */
export async function send({ names, callers }: World, [operation, request = {}, caller = 'P1']: Given) {
  const response = await call(operation, { ...filled(request, names), ...callers.get(names.get(caller) as string) });
  expect(response.body.code).not.toBe('server_error');
  return response;
}

/** Makes calls one after another. */
export async function sendAll(world: World, calls: Given[]): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (const each of calls) responses.push(await send(world, each));
  return responses;
}

/** Lets operations be interleaved, makes events visible at once, and retries without a pause. */
export function useRaces(): void {
  beforeAll(() => {
    FEED.horizonMs = 0;
    installGate();
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });
}

const VARYING = /(?<="(?:next|key_id)":")[^"]*|\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A response without what differs from world to world: ids, times and cursors. */
export function shapeOf({ names }: World, { status, headers, body }: Pick<ApiResponse, 'status' | 'headers' | 'body'>) {
  let text = JSON.stringify({ status, isReplayed: headers['idempotent-replayed'], body });
  for (const [name, value] of names) text = text.replaceAll(value, `<${name}>`);
  return JSON.parse(text.replace(VARYING, ''));
}

/** What each acquirer can read. */
export async function readBy(world: World): Promise<unknown[]> {
  const reads: Operation[] = ['listBranches', 'listAllTerminals', 'listEvents'];
  const all = (['P1', 'P2', 'D1', 'D2'] as const).flatMap((caller) => reads.map((each): Given => [each, {}, caller]));
  return (await sendAll(world, all)).map((each) => shapeOf(world, each));
}
