import { validate as isUuid } from 'uuid';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { Conflict, retrying } from '../aws/retry.ts';
import type { PageRequest } from '../base/paging.ts';
import { Problem } from '../base/problem.ts';
import { getItem, getItems, queryItems } from '../table/client.ts';
import { terminalKey, unpackOrder } from '../table/keys.ts';
import { findBranch, getBranch, isAccessible } from './branch.ts';
import type { Terminal, TerminalInBranch } from './terminal.ts';

/**
 * Lists one page of a branch's terminals by time of creation, and the count of all, as the branch lists them. The
 * terminals are read from an index, where fields that changed milliseconds ago may be outdated, or by key where it
 * lags. Every page costs the same.
 *
 * @throws Problem `not_found` when the branch is not accessible, and where to read `mid` if it is an accessible TID.
 */
export const listTerminals = (
  acquirer: Acquirer,
  mid: string,
  { page, per_page, sort }: PageRequest,
): Promise<{ total: number; terminals: TerminalInBranch[] }> =>
  retrying(async () => {
    const branch = await getBranch(acquirer, mid).catch((error) => explained(error, acquirer, mid));
    const listed = [...(branch.terminals ?? [])].sort(Buffer.compare);
    if (sort === 'desc') listed.reverse();
    const wanted = listed.slice((page - 1) * per_page, page * per_page).map(unpackOrder);
    const terminals = await terminalsAt(mid, wanted);
    return { total: listed.length, terminals: terminals.map((terminal) => ({ terminal, branch })) };
  });

/** Rejects with a `not_found` that explains where to read a terminal, if `id` is one's TID; otherwise with `error`. */
async function explained(error: unknown, acquirer: Acquirer, id: string): Promise<never> {
  const isMissing = error instanceof Problem && error.code === 'not_found' && isUuid(id);
  const terminal = isMissing ? await getItem<Terminal>(terminalKey(id)) : undefined;
  const branch = terminal && (await findBranch(terminal.mid));
  if (!branch || !isAccessible(branch, acquirer)) throw error;
  throw new Problem(
    'not_found',
    `This path takes the MID of a branch and lists its terminals. ${id} is the TID of a terminal: read it with GET ` +
      `/ext/api/v1/find?tid=${id}.`,
  );
}

/** Queries the index of a branch's terminals, and behind them of when they were last seen. */
export const terminalRowsBetween = <Row>(
  mid: string,
  [first, last]: [first: string, last: string],
  limit?: number,
): Promise<Row[]> =>
  queryItems<Row>(
    {
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: 'mid = :mid AND branch_order BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':mid': mid, ':first': first, ':last': last },
    },
    limit,
  );

/** @throws Conflict when one has left the branch, or is not visible yet. */
async function terminalsAt(mid: string, wanted: { tid: string; order: string }[]): Promise<Terminal[]> {
  const orders = wanted.map(({ order }) => order).sort();
  const [first, last] = [orders.at(0), orders.at(-1)];
  if (first === undefined || last === undefined) return [];
  // The index may still have removed terminals, in any number. Those that they displace are read by key.
  const shown = await terminalRowsBetween<Terminal>(mid, [first, last], orders.length);
  const found = new Map(shown.map((terminal) => [terminal.branch_order, terminal]));
  const notInIndex = wanted.filter(({ order }) => !found.has(order));
  for (const terminal of await getItems<Terminal[]>(notInIndex.map(({ tid }) => terminalKey(tid))))
    if (terminal?.mid === mid) found.set(terminal.branch_order, terminal);
  return wanted.map(({ order }) => {
    const terminal = found.get(order);
    if (!terminal) throw new Conflict('A terminal left its branch while the list was read');
    return terminal;
  });
}
