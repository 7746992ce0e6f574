import * as v from 'valibot';
import { MOST_PER_REQUEST } from '../base/fields.ts';
import { boolean, field, listOf, shownFeedCursor, shownText, time, uuidValue } from '../base/values.ts';
import { listedBranch, shownBranch } from '../branches/branch.ts';
import { listedDetails, otherDetails } from '../branches/branchDetails.ts';
import { deletedTerminal, shownCreatedBranch, shownTerminal, TERMINAL_DETAIL_NAMES } from '../branches/terminal.ts';
import { EVENT_TYPES, type EventType } from '../events/event.ts';

/** `data` of an event, by type: what the operation returned. */
const DATA = {
  'branch.created': shownCreatedBranch,
  'branch.updated': shownBranch,
  'branch.archived': shownBranch,
  'branch.restored': shownBranch,
  'terminals.created': listOf(shownTerminal, MOST_PER_REQUEST),
  'terminal.updated': shownTerminal,
  'terminal.archived': shownTerminal,
  'terminal.restored': shownTerminal,
  'terminal.reassigned': shownTerminal,
  'terminal.deleted': deletedTerminal,
  'terminal.left': deletedTerminal,
  'terminal.joined': shownTerminal,
} satisfies Record<EventType, v.GenericSchema>;

/** Fields that `changes` of an event can have. */
const changedFields = v.object({
  ...listedDetails,
  ...otherDetails,
  ...v.pick(shownBranch, ['status', 'archived_at']).entries,
  ...v.pick(shownTerminal, ['mid', ...TERMINAL_DETAIL_NAMES]).entries,
});

const shownEventOf = <T extends EventType>(type: T) =>
  v.object({
    id: field(
      uuidValue,
      'UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.',
    ),
    type: v.literal(type),
    at: field(time, 'When it happened (RFC 3339, UTC): the time that the resource shows for the change.'),
    branch: field(
      v.pick(listedBranch, ['mid', 'status', 'archived_at']),
      'The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal ' +
        'with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it ' +
        'restores those.',
    ),
    data: field(DATA[type] as v.GenericSchema, 'What the operation returned: the resource after the change.'),
    changes: field(
      v.nullable(v.partial(changedFields)),
      'The fields that changed, with their previous values. `null` except for updates, reassignments and restored ' +
        'branches.',
    ),
    reason: field(
      v.nullable(shownText),
      'The `reason` of the request, or `null`. Why a terminal was archived is in its `archive_reason`.',
    ),
    by: field(
      v.object({
        acquirer: uuidValue,
        acquirer_name: shownText,
        key_id: v.nullable(shownText),
        key_label: v.nullable(shownText),
        person: v.nullable(v.object({ id: uuidValue, name: v.nullable(shownText) })),
      }),
      'Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to ' +
        'their own acquirer. A person has their current name; after they were removed, that of then; and `null` once they ' +
        'were erased.',
    ),
    request_id: field(shownText, 'The `X-Request-Id` of the request that made the change.'),
  });

export const shownEvent = v.variant('type', EVENT_TYPES.map(shownEventOf));

export const shownEventsMeta = v.object({
  next: field(shownFeedCursor, 'Cursor of the next page.'),
  up_to_date: field(boolean, 'Whether these are all events so far. If `false`, request the next page at once.'),
  complete_to: field(time, 'Every event before this time is on this page or an earlier one (RFC 3339, UTC).'),
});
