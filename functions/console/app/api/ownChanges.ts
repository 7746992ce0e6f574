import type { Schemas } from './client.ts';

/** A change of one's own, as the response to it shows it, and when it was made, by the clock of the service. */
interface Noted {
  terminal?: Schemas['Terminal'];
  branch?: Schemas['ListedBranch'];
  deletedTid?: string;
  at: string;
}

/** The event of a deletion can be so much later than the response says, which counts seconds, on another clock. */
const LATER_MS = 6_000;

let listener: ((acquirer: string, changes: Noted[]) => void) | undefined;

/** Calls back with the own changes from now on. */
export function onNoted(callback: typeof listener): void {
  listener = callback;
}

type Item = Partial<Schemas['CreatedBranch'] & Schemas['Terminal']>;

function notedOf(item: Item, deletedAt: string): Noted[] {
  const { mid, tid, updated_at: at, terminals = [] } = item;
  if (at === undefined) return tid === undefined ? [] : [{ deletedTid: tid, at: deletedAt }];
  if (tid !== undefined) return [{ terminal: item as Schemas['Terminal'], at }];
  // Such as a webhook.
  if (mid === undefined) return [];
  return [{ branch: item as Schemas['CreatedBranch'], at }, ...terminals.flatMap((each) => notedOf(each, deletedAt))];
}

/** Notes the branches and terminals that a request of the console has changed, as the response shows them. */
export async function noteChange({ method, url, headers }: Request, response: Response): Promise<void> {
  const noted = listener;
  const { pathname, searchParams } = new URL(url);
  const isChange = method !== 'GET' && searchParams.get('validate_only') !== 'true' && response.ok;
  if (!noted || !isChange || !pathname.startsWith('/ext/api/v1/')) return;
  const { data } = (await response.clone().json()) as { data: Item | Item[] };
  const date = Date.parse(response.headers.get('date') ?? '') || Date.now();
  const deletedAt = new Date(date + LATER_MS).toISOString();
  const changes = [data].flat().flatMap((item) => notedOf(item, deletedAt));
  noted(headers.get('acting-as') ?? '', changes);
}
