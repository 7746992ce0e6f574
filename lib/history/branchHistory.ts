import type { Acquirer } from '../acquirers/acquirer.ts';
import { getBranch } from '../branches/branch.ts';
import { EventPage } from '../events/event.ts';
import { queryPages } from '../table/client.ts';
import {
  type Copy,
  eventsAbout,
  type HistoryPage,
  type HistoryRequest,
  historyPage,
  retained,
  startOf,
} from './historyPage.ts';

/**
 * Reads the events of a branch and its terminals, the newest first.
 *
 * @throws Problem `not_found` when the branch is not accessible; `invalid_query` for an invalid cursor.
 */
export async function branchHistory(acquirer: Acquirer, mid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'branch', mid];
  const start = startOf(request, list);
  await getBranch(acquirer, mid);
  const page = new EventPage(request.limit, request);
  for await (const copies of queryPages<Copy>(eventsAbout('branch', acquirer.id, mid, start), page.room + 1)) {
    page.add(retained(copies));
    if (page.isCut) break;
  }
  return historyPage(page, page.isCut, list);
}
