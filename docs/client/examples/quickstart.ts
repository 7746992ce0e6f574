import { createClient } from 'acquirer-partner-api-client';

const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });
const mid = `QUICKTS${Date.now()}`;

// Create a branch with two terminals.
const business = { master_merchant_id: 'QUICKBUSINESS', master_merchant_name: 'Riverside Books' };
const terminals = [{ terminal_id: `${mid}A`, terminal_model: 'Countertop 3' }, { terminal_id: `${mid}B` }];
const created = await api.POST('/ext/api/v1/merchants', {
  body: { mid, branch_name: 'Riverside', city: 'Porto', ...business, terminals },
});
if (created.error) throw new Error(created.error.detail);
console.log('Created', created.data.data.mid);

// Update each terminal. Paths take its tid.
for (const { tid } of created.data.data.terminals) {
  const params = { path: { tid } };
  const changed = await api.PATCH('/ext/api/v1/terminals/{tid}', { params, body: { terminal_model: 'Handheld 2' } });
  if (changed.error) throw new Error(changed.error.detail);
  console.log(changed.data.data.terminal_id, changed.data.data.terminal_model);
}

// Handle errors by their code. Here, the MID is already taken.
const again = await api.POST('/ext/api/v1/merchants', { body: { mid, ...business } });
if (again.error?.code === 'validation_failed')
  for (const { pointer, code } of again.error.errors ?? []) console.log(pointer, code);
