import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LONGEST_DELIVERY_MS, send } from '../../../lib/webhooks/send.ts';
import { serveNames } from '../../support/dns.ts';

const servers: Server[] = [];
const sockets = new Set<Socket>();

/** Starts a server that does this with a connection, and returns its port. */
async function serve(connected: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    connected(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Writes a text, then a byte each tenth of a second. */
const drip = (start: string) => (socket: Socket) =>
  socket.once('data', () => {
    socket.write(start);
    const timer = setInterval(() => socket.write('a'), 100);
    socket.on('close', () => clearInterval(timer));
  });

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((type) => /^(TCP|TLS)/.test(type) && type !== 'TCPServerWrap').length;

const LARGE = { headers: {}, body: JSON.stringify({ data: 'a'.repeat(16_000_000) }) };
const SMALL = { headers: {}, body: '{}' };

beforeAll(() => {
  process.env['WEBHOOK_HOSTS'] = 'loopback';
});
afterAll(() => {
  for (const server of servers) server.close();
});

test('a server that never responds, in whatever way, costs 10 s, and no connection stays open', async () => {
  const before = openSockets();
  const silent = await serve((socket) => socket.resume());
  const urls = {
    'never responds': [`http://127.0.0.1:${silent}/`, SMALL],
    'never begins TLS': [`https://127.0.0.1:${silent}/`, SMALL],
    'never reads the body': [`http://127.0.0.1:${await serve((socket) => socket.pause())}/`, LARGE],
    'drips its headers': [`http://127.0.0.1:${await serve(drip('HTTP/1.1 200 OK\r\na: '))}/`, SMALL],
    'drips interim responses': [`http://127.0.0.1:${await serve(drip('HTTP/1.1 103 Early Hints\r\nlink: '))}/`, SMALL],
  } as const;
  const sent = Object.entries(urls).map(async ([title, [url, message]]) => [title, await send(url, message)] as const);
  const body = send(`http://127.0.0.1:${await serve(drip('HTTP/1.1 200 OK\r\n\r\n'))}/`, SMALL);
  while (sockets.size < 6) await sleep(10);
  // Both ends of each.
  expect(openSockets()).toBe(before + 12);

  for (const [title, { status, error, duration_ms }] of await Promise.all(sent)) {
    const isEnded = duration_ms >= LONGEST_DELIVERY_MS - 50;
    expect([title, status, error, isEnded]).toEqual([title, null, 'There was no response within 10 s.', true]);
  }
  // The status of a response that drips its body is known, and its time counts.
  const { status, error, duration_ms } = await body;
  expect([status, error, duration_ms >= LONGEST_DELIVERY_MS - 50]).toEqual([200, null, true]);

  // The servers learn it too.
  await Promise.all([...sockets].map((socket) => socket.resume().destroyed || once(socket, 'close')));
  expect(openSockets()).toBe(before);
});

test('a name that no name server answers for is an error within the same time', async () => {
  const names = await serveNames(() => 'never');
  expect(await send('https://silent.example.com/', SMALL, names.resolver())).toEqual({
    status: null,
    error: 'The name could not be resolved.',
    duration_ms: expect.any(Number),
  });
  names.stop();
});

test('a thousand deliveries leave no connection open', async () => {
  const before = openSockets();
  const url = `http://127.0.0.1:${await serve((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n')),
  )}/`;
  for (let round = 0; round < 20; round += 1)
    for (const { status } of await Promise.all(Array.from({ length: 50 }, () => send(url, SMALL))))
      expect(status).toBe(200);
  await Promise.all([...sockets].map((socket) => socket.destroyed || once(socket, 'close')));
  expect(openSockets()).toBe(before);
});

test('a proxy of the environment is not used', async () => {
  let [proxied, direct] = [0, 0];
  const respond = (count: () => void) => (socket: Socket) =>
    socket.once('data', () => {
      count();
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  const proxy = `http://127.0.0.1:${await serve(respond(() => proxied++))}`;
  const url = `http://127.0.0.1:${await serve(respond(() => direct++))}/`;
  const program = `
    import { get } from 'node:http';
    const { send } = await import(${JSON.stringify(pathToFileURL('lib/webhooks/send.ts').href)});
    await new Promise((resolve) => get(${JSON.stringify(url)}, (response) => response.resume().on('end', resolve)));
    await send(${JSON.stringify(url)}, { headers: {}, body: '{}' });`;
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    no_proxy: '',
    NO_PROXY: '',
  };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  expect([proxied, direct]).toEqual([1, 1]);
});
