import { NIL } from 'uuid';
import * as v from 'valibot';
import { mid } from '../../../lib/base/fields.ts';
import { uuidValue as id, keyId, status, time } from '../../../lib/base/values.ts';
import { type Event, type EventType, toEvent } from '../../../lib/events/event.ts';
import type { toTerminal } from '../../../lib/terminals/terminal.ts';

type ShownTerminal = ReturnType<typeof toTerminal>;

const times = { created_at: time, updated_at: time, archived_at: v.nullable(time) };
const gone = { tid: id, terminal_id: v.string() };
const terminal = v.looseObject({ ...gone, mid, status, ...times, archive_reason: v.nullable(v.string()) });
const branch = { mid, status, ...times };

/** The schema of an event of these types. */
const typed = <const T extends EventType[], D extends v.GenericSchema>(types: T, data: D) =>
  v.object({
    type: v.picklist(types),
    branch: v.object({ mid, status, archived_at: v.nullable(time) }),
    data,
    changes: v.nullable(v.looseObject({ mid: v.optional(mid) })),
    by: v.object({
      acquirer: id,
      acquirer_name: v.string(),
      key_id: v.nullable(keyId),
      key_label: v.nullable(v.string()),
      person: v.nullable(v.object({ id, name: v.null() })),
    }),
    request_id: v.string(),
  });

const Body = v.variant('type', [
  typed(['branch.created'], v.looseObject({ ...branch, terminals: v.array(terminal) })),
  typed(['branch.updated', 'branch.archived', 'branch.restored'], v.looseObject(branch)),
  typed(['terminals.created'], v.array(terminal)),
  typed(['terminal.updated', 'terminal.archived', 'terminal.restored'], terminal),
  typed(['terminal.reassigned', 'terminal.joined'], terminal),
  typed(['terminal.deleted', 'terminal.left'], v.object(gone)),
]);

/** The decoded body of a stored event. */
export type EventBody = v.InferOutput<typeof Body>;

const decoded = new WeakMap<Uint8Array, EventBody>();

/** Decodes the body of a stored event for {@link bodyOf}. Returns whether it is valid. */
function decode(body: Uint8Array): boolean {
  try {
    const { id, at, ...event }: Event = toEvent({ sk: NIL, body });
    if (!v.is(Body, event)) return false;
    decoded.set(body, event);
    return true;
  } catch {
    return false;
  }
}

/** The schema of a stored event's body: it can be decoded and has the fields of its type. */
export const eventBody = v.custom<Uint8Array>((value) => value instanceof Uint8Array && decode(value));

/** The decoded body of an event that {@link eventBody} has accepted. */
export const bodyOf = (body: Uint8Array): EventBody => decoded.get(body) as EventBody;

type BranchEvent = Extract<EventBody, { data: { mid: string; created_at: string; tid?: never } }>;

/** Whether an event is about a branch, and not only about its terminals. */
export const isAboutBranch = (body: EventBody): body is BranchEvent => body.type.startsWith('branch.');

/** The terminals in an event, with all their fields. */
export function terminalsIn({ type, data }: EventBody): ShownTerminal[] {
  switch (type) {
    case 'branch.created':
      return data.terminals as ShownTerminal[];
    case 'terminals.created':
      return data as ShownTerminal[];
    case 'branch.updated':
    case 'branch.archived':
    case 'branch.restored':
    case 'terminal.deleted':
    case 'terminal.left':
      return [];
    default:
      return [data as ShownTerminal];
  }
}
