import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { cursorAt } from '../../lib/base/cursor.ts';
import { lowerBoundId } from '../../lib/base/eventId.ts';

/** What a list of events covers. */
export type ListOfEvents = ['events'] | ['branch', mid: string] | ['terminal', tid: string];

/** A cursor for a point in time, in milliseconds, in an acquirer's events or in a history. */
export const cursorOf = ({ id }: Pick<Acquirer, 'id'>, list: ListOfEvents, time = Date.now()): string =>
  cursorAt(lowerBoundId(time), [id, ...list]);
