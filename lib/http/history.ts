import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { EVENT_CURSOR } from '../base/cursor.ts';
import { published } from '../base/fields.ts';
import { extend, field, shownCursor, time } from '../base/values.ts';
import type { HistoryPage } from '../history/historyPage.ts';
import { withNames } from '../history/withNames.ts';
import type { HandlerResult } from './middleware.ts';
import { cursor, wholeNumber } from './page.ts';
import { ok } from './response.ts';

export const HistoryQuery = v.object({
  before: v.optional(v.pipe(cursor, published({ pattern: `^${EVENT_CURSOR}$`, minLength: 64 }))),
  limit: v.optional(wholeNumber(100), '20'),
});
export type HistoryQuery = v.InferOutput<typeof HistoryQuery>;

export const shownHistoryMeta = v.object({
  next: field(v.nullable(shownCursor), 'Cursor of the next page; `null` at the end.'),
});

export const shownAccessChangesMeta = extend(shownHistoryMeta, {
  read_to: field(
    v.nullable(time),
    'Every wanted event since then is on this page or an earlier one; `null` at the end.',
  ),
});

export const shownActivityMeta = extend(shownAccessChangesMeta, {
  complete_to: field(time, 'No more events will appear from before then. For what is new, send it as `since`.'),
});

/** A 200 with a page of a history, with the names of the acquirer's people. */
export const history = async ({ id }: Acquirer, { events, next }: HistoryPage): Promise<HandlerResult> =>
  ok(await withNames(id, events), { meta: { next } });
