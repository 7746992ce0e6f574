import type { Schemas } from '../api.ts';

/** A change of one's own, as the response to it shows it. */
export interface Noted {
  terminal?: Schemas['Terminal'];
  branch?: Schemas['ListedBranch'];
  deletedTid?: string;
  /** When it was made, by the clock of the service. */
  at: string;
}

type Listener = (acquirer: string, changes: Noted[]) => void;
let listener: Listener | undefined;

/** Calls back with each own change from now on. */
export function onNoted(callback: Listener): void {
  listener = callback;
}

/** The event of a deletion can be so much later than the response says, which counts seconds, on another clock. */
const LATER_MS = 6_000;

type Item = Partial<Schemas['CreatedBranch'] & Schemas['Terminal']>;

function notedOf(item: Item, deletedAt: string): Noted[] {
  const at = item.updated_at;
  if (at === undefined) return item.tid === undefined ? [] : [{ deletedTid: item.tid, at: deletedAt }];
  if (item.tid !== undefined) return [{ terminal: item as Schemas['Terminal'], at }];
  const terminals = (item.terminals ?? []).flatMap((terminal) => notedOf(terminal, deletedAt));
  return [{ branch: item as Schemas['CreatedBranch'], at }, ...terminals];
}

/** Notes what a response to a request of the console says about changed branches and terminals, if it does. */
export async function noteChange({ method, url, headers }: Request, response: Response): Promise<void> {
  const { pathname, searchParams } = new URL(url);
  const noted = listener;
  if (!noted || method === 'GET' || !response.ok || !pathname.startsWith('/ext/api/v1/')) return;
  if (searchParams.get('validate_only') === 'true') return;
  const { data } = (await response.clone().json()) as { data: Item | Item[] };
  const date = Date.parse(response.headers.get('date') ?? '') || Date.now();
  const deletedAt = new Date(date + LATER_MS).toISOString();
  noted(
    headers.get('acting-as') ?? '',
    [data].flat().flatMap((item) => notedOf(item, deletedAt)),
  );
}
