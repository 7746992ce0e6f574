import { plainId } from '../../../../../docs/client/estate/search.ts';
import { findPasted as find, type Pasted } from '../../estate/pasted.ts';
import type { Row } from '../../estate/row.ts';

export type { Pasted } from '../../estate/pasted.ts';

export function findPasted(text: string, rows: readonly Row[], most: number): Pasted {
  const tids = new Map<string, string>();
  for (const { terminal } of rows)
    for (const id of [terminal.serial_no, terminal.tid, terminal.terminal_id])
      if (id !== null) tids.set(plainId(id), terminal.tid);
  return find(text, () => tids, most);
}
