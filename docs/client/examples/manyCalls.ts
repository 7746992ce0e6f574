import { createClient } from 'acquirer-partner-api-client';

const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });

const calls = 30;
let succeeded = 0;
for (let call = 1; call <= calls; call += 1) {
  const { data } = await api.GET('/ext/api/v1/merchants', { params: { query: { per_page: 1 } } });
  if (data) succeeded += 1;
}
console.log(`${succeeded} of ${calls} calls succeeded`);
