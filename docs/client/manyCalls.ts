import { partnerApi } from './client.ts';

const { base = '', key = '' } = process.env;
const api = partnerApi(base, key);

const query = { per_page: 1 } as const;
const calls = Array.from({ length: 30 }, () => api.GET('/ext/api/v1/merchants', { params: { query } }));
const results = await Promise.all(calls);
const succeeded = results.filter(({ data }) => data !== undefined);
process.stdout.write(`${succeeded.length} of ${results.length} calls succeeded\n`);
