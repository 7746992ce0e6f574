import { partnerApi } from './client.ts';

const { base = '', key = '' } = process.env;
const api = partnerApi(base, key);

const calls = 30;
let succeeded = 0;
for (let call = 1; call <= calls; call += 1) {
  const { data } = await api.GET('/ext/api/v1/merchants', { params: { query: { per_page: 1 } } });
  if (data) succeeded += 1;
}
process.stdout.write(`${succeeded} of ${calls} calls succeeded\n`);
