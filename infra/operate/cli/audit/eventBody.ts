import { NIL } from 'uuid';
import * as v from 'valibot';
import type { toBranch } from '../../../../lib/branches/branch.ts';
import { type Event, toEvent } from '../../../../lib/events/event.ts';
import { shownEvent } from '../../../../lib/history/shownEvent.ts';
import type { toTerminal } from '../../../../lib/terminals/terminal.ts';

type ShownTerminal = ReturnType<typeof toTerminal>;

const decoded = new WeakMap<Uint8Array, Event>();

/** Decodes the body of a stored event for {@link bodyOf}. Returns whether it is valid. */
function decode(body: Uint8Array): boolean {
  try {
    const event = toEvent({ sk: NIL, body });
    decoded.set(body, event);
    return v.is(shownEvent, event);
  } catch {
    return false;
  }
}

/** The schema of a stored event's body: it can be decoded, and responses can show it. */
export const eventBody = v.custom<Uint8Array>((value) => value instanceof Uint8Array && decode(value));

/** The decoded body of an event that {@link eventBody} has accepted. */
export const bodyOf = (body: Uint8Array) => decoded.get(body) as Event;

/** The branch in an event that is about one, and not only about its terminals. */
export const branchIn = ({ type, data }: Event) =>
  type.startsWith('branch.') ? (data as ReturnType<typeof toBranch>) : undefined;

/** The terminals in an event, with all their fields. */
export function terminalsIn({ data }: Event): ShownTerminal[] {
  const { terminals = data } = data as { terminals?: object };
  return ([terminals].flat() as ShownTerminal[]).filter((each) => 'tid' in each && 'mid' in each);
}

/** The MID of the branch from which an event moved a terminal. */
export const formerMidIn = ({ changes }: Event): string | undefined => (changes as { mid?: string } | null)?.mid;
