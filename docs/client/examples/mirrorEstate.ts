import { createClient } from 'acquirer-partner-api-client';
import { load, save } from './copy.js';
import { update } from './mirror.js';

const [file = 'estate.json'] = process.argv.slice(2);
const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, attempts: 10 });

const { branches, terminals } = await update(api, load(file), (replica, events) => save(file, replica, events));
console.log(`${branches.size} branches and ${terminals.size} terminals`);
