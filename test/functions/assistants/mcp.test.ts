import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Served } from '../../../infra/local/serve.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { useProvider } from '../../support/world.ts';

const { BASE_URL } = process.env;
const provider = useProvider();
let api: Served;
beforeAll(async () => {
  api = await serveHandlers();
  process.env['BASE_URL'] = api.url;
});
afterAll(async () => {
  process.env['BASE_URL'] = BASE_URL;
  await api.stop();
});

test.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'auto'],
] as const)('an assistant of the revision %s lists tools and calls one', async (revision, mode) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${provider.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect((await client.listTools()).tools).toHaveLength(29);
  const { content } = await client.callTool({ name: 'getCaller', arguments: {} });
  expect(JSON.stringify(content)).toContain(provider.id);
  await client.close();
});
