import { deflateRawSync } from 'node:zlib';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone } from '../aws/retry.ts';
import { expiryOf, newEventId } from '../base/eventId.ts';
import { historyOf, reassignmentKey, statusHistoryOf } from '../table/keys.ts';
import { put, type Step, transact } from '../table/transaction.ts';
import { copyKey, DICTIONARY, type Event, type EventType, type StoredEvent } from './event.ts';

/** Who makes a change: an acquirer, with an API key or by a person, in a request. */
export type Author = {
  acquirer: Acquirer;
  request_id: string;
} & ({ key_id: string; label: string; person?: never } | { person: string; key_id?: never; label?: never });

/** How a request makes its change. */
export interface ChangeOptions {
  /** Whether the change is only validated. The request's context says so too, by which `transact` writes nothing. */
  validate_only?: boolean;
  /** The states in which the request may change something: see expectState. */
  if_match?: string | undefined;
  /** Why, if the request says it. The events show it. */
  reason?: string | undefined;
}

/** A change as one acquirer sees it. */
export interface View {
  acquirer: string;
  type: EventType;
  branch: Event['branch'];
  /** What the operation returns: the resource after the change. */
  data: unknown;
  /** The fields that changed, with their previous values. */
  changes?: Record<string, unknown>;
}

/** A change that is decided on and not yet written. */
export interface Change {
  /** They repeat, as conditions, what the decision depends on. At most MOST_STEPS, less {@link RESERVED_STEPS}. */
  steps: Step[];
  /** Time of the change: RFC 3339 UTC with milliseconds. */
  at: string;
  /** The changed terminals. A single one has the event in its history; several were created, and refer to it. */
  terminals?: { tid: string; creation_event?: string | undefined }[];
  views: View[];
  /** Work at the same time as the write. The response waits for it but does not depend on it: it never rejects. */
  meanwhile?: () => Promise<unknown>;
  /** The same, but after the write. */
  afterwards?: () => Promise<unknown>;
}

/** What an operation decides, on what it has read: the data of its response and, unless nothing changes, its change. */
export interface Decision<Data> {
  data: Data;
  change?: Change;
}

/** The most steps that are stored with those of a create: an event for each of two acquirers, and the response. */
export const RESERVED_STEPS = 3;

const eventIdOf = ({ request_id }: Author, at: string): string => newEventId(at, request_id);

/** The id of the event that creates several terminals, for their items: an item can be in an index only once. */
export const creationEventOf = (author: Author, at: string, terminals: number): string | undefined =>
  terminals > 1 ? eventIdOf(author, at) : undefined;

/** Stores a copy of an event for each acquirer that sees it. No other write uses these items, so none conflicts. */
function eventSteps(author: Author, reason: string | undefined, { at, terminals = [], views }: Change): Step[] {
  const id = eventIdOf(author, at);
  const ttl = expiryOf(at);
  const [terminal, ...others] = terminals;
  const historiesOf = ({ acquirer, type, branch: { mid } }: View) => {
    if (type === 'branch.archived' || type === 'branch.restored')
      return { terminal_history: statusHistoryOf(acquirer, mid) };
    if (!terminal || others.length > 0) return {};
    return { terminal_history: historyOf(acquirer, terminal.tid), creation_event: terminal.creation_event };
  };
  return views.flatMap((view) => {
    const { acquirer, type, branch, data, changes = null } = view;
    const isOwn = acquirer === author.acquirer.id;
    const content = {
      type,
      branch,
      data,
      changes,
      ...(reason && { reason }),
      by: {
        acquirer: author.acquirer.id,
        acquirer_name: author.acquirer.name,
        key_id: (isOwn && author.key_id) || null,
        key_label: (isOwn && author.label) || null,
        // The name is not stored, so that it stands in one place.
        ...(isOwn && author.person && { person: author.person }),
      },
      request_id: author.request_id,
    };
    const body = deflateRawSync(JSON.stringify(content), { dictionary: DICTIONARY });
    const copy = put(copyKey(acquirer, id), {
      body,
      ttl,
      branch_history: historyOf(acquirer, branch.mid),
      ...historiesOf(view),
    } satisfies StoredEvent);
    if (type !== 'terminal.reassigned') return [copy];
    const branch_history = historyOf(acquirer, String(changes?.['mid']));
    return [copy, put(reassignmentKey(branch_history, id), { body, ttl, branch_history } satisfies StoredEvent)];
  });
}

/**
 * Writes a change with its events, in one transaction. If the request only validates the change, it writes nothing.
 *
 * @param stored Further steps of the transaction. They come first, so that their refusal takes precedence.
 * @throws Conflict when something changed since it was read: then decide anew.
 */
export async function commit(
  author: Author,
  { reason, validate_only }: ChangeOptions,
  change: Change | undefined,
  ...stored: Step[]
): Promise<void> {
  if (!change) return;
  const write = transact([...stored, ...change.steps, ...eventSteps(author, reason, change)]);
  // In a validation, `write` has written nothing, so nothing else does either.
  if (validate_only) return write;
  await allDone([write, change.meanwhile?.()]);
  await change.afterwards?.();
}
