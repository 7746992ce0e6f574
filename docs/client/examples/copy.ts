import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Event, Replica } from 'acquirer-partner-api-client/apply';

export function load(file: string): Replica | undefined {
  if (!existsSync(file)) return undefined;
  const { cursor, branches, terminals } = JSON.parse(readFileSync(file, 'utf8'));
  return { cursor, branches: new Map(branches), terminals: new Map(terminals) };
}

/** Stores a replica and its cursor together, so that a crash cannot separate them. Prints the events that led to it. */
export function save(file: string, { cursor, branches, terminals }: Replica, events: Event[]) {
  const state = { cursor, branches: [...branches], terminals: [...terminals] };
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
  for (const { at, type, branch, data } of events)
    console.log(at, type, branch.mid, ...('terminal_id' in data ? [data.terminal_id] : []));
}
