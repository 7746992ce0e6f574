import { createClient } from 'acquirer-partner-api-client';
import { createEstate } from 'acquirer-partner-api-client/estate';
import { load, save } from './copy.js';
import { update } from './mirror.js';

const [part = '', file = 'estate.json'] = process.argv.slice(2);
const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, attempts: 10 });
const replica = await update(api, load(file), (after, events) => save(file, after, events));

const estate = createEstate();
for (const [mid, branch] of replica.branches) estate.branches.set(mid, branch);
for (const [tid, terminal] of replica.terminals) estate.terminals.set(tid, terminal);

console.log('Cities with the most active terminals:');
const active = { text: '', filters: { status: ['active'] } };
for (const [city, count] of estate.countTerminals(active, 'city').slice(0, 3)) console.log(count, city);

console.log(`Terminals with ${part} in their ID or serial number:`);
for (const { terminal, branch } of estate.findByPart(part, 10).rows)
  console.log(terminal.terminal_id, terminal.status, branch?.mid);
