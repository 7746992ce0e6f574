import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient } from 'acquirer-partner-api-client';
import type { Event, Replica } from 'acquirer-partner-api-client/apply';
import { update } from './mirror.js';

const [file = 'estate.json'] = process.argv.slice(2);
const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, attempts: 10 });

function load(): Replica | undefined {
  if (!existsSync(file)) return undefined;
  const { cursor, branches, terminals } = JSON.parse(readFileSync(file, 'utf8'));
  return { cursor, branches: new Map(branches), terminals: new Map(terminals) };
}

/** Stores the replica and its cursor together, so that a crash cannot separate them. */
function save({ cursor, branches, terminals }: Replica, events: Event[]) {
  const state = { cursor, branches: [...branches], terminals: [...terminals] };
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
  for (const { at, type, branch, data } of events)
    console.log(at, type, branch.mid, ...('terminal_id' in data ? [data.terminal_id] : []));
}

const { branches, terminals } = await update(api, load(), save);
console.log(`${branches.size} branches and ${terminals.size} terminals`);
