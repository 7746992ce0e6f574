import { partnerApi } from './client.ts';

const { base = '', key = '' } = process.env;
const api = partnerApi(base, key);

const query = { sort: 'asc', per_page: 1 } as const;
const { data, error } = await api.GET('/ext/api/v1/merchants', { params: { query } });
if (error) throw new Error(JSON.stringify(error));
for (const { mid, merchant_name } of data.data) process.stdout.write(`${mid} ${merchant_name}\n`);
