import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { send } from '../../../lib/webhooks/send.ts';
import { type KeyPair, newCertificate } from '../../support/certificates.ts';
import { type NameServer, serveNames } from '../../support/dns.ts';
import { NOT_PUBLIC } from '../../support/notPublic.ts';

const MESSAGE = { headers: { 'webhook-id': 'a' }, body: '{"city":"Évora"}' };

/** Every connection and lookup that this process begins, as Node.js itself counts them. */
let begun: Record<string, number> = {};
const counter = createHook({
  init(_id, type) {
    begun[type] = (begun[type] ?? 0) + 1;
  },
});
const connections = (): number => begun['TCPCONNECTWRAP'] ?? 0;
/** Lookups by the operating system, which would ask again. */
const otherLookups = (): number => begun['GETADDRINFOREQWRAP'] ?? 0;

const running: TcpServer[] = [];
async function listen(server: TcpServer): Promise<number> {
  running.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a server of HTTP, and returns its URL. */
const serve = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(listener))}`;

/** Starts a server that responds to the first bytes it reads, and returns its URL. */
const serveBytes = async (respond: (socket: Socket) => void): Promise<string> =>
  `http://127.0.0.1:${await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => respond(socket));
    }),
  )}`;

let addresses: Record<string, string[]> = {};
let names: NameServer;
beforeAll(async () => {
  names = await serveNames((name) => addresses[name]);
  counter.enable();
});
beforeEach(() => {
  process.env['WEBHOOK_HOSTS'] = 'loopback';
  [begun, addresses] = [{}, {}];
  names.asked.length = 0;
});
afterEach(() => {
  for (const server of running.splice(0)) {
    server.close();
    (server as Server).closeAllConnections?.();
  }
});
afterAll(() => {
  counter.disable();
  names.stop();
});

const ms = expect.any(Number);
const failed = (error: string) => ({ status: null, error, duration_ms: ms });
const responded = (status: number) => ({ status, error: null, duration_ms: ms });
const NOT_ON_THE_INTERNET = failed('The host is not on the Internet.');

describe('an address that is not public', () => {
  beforeEach(() => {
    delete process.env['WEBHOOK_HOSTS'];
  });

  test(`is not connected to, of ${NOT_PUBLIC.length} that a URL has`, async () => {
    for (const address of NOT_PUBLIC) {
      const host = address.includes(':') ? `[${address}]` : address;
      expect(await send(`https://${host}/`, MESSAGE, names.resolver())).toEqual(failed('The URL is not allowed.'));
    }
    expect([connections(), otherLookups(), names.asked]).toEqual([0, 0, []]);
  });

  test(`is not connected to, of ${NOT_PUBLIC.length} that a name leads to`, async () => {
    for (const [at, address] of NOT_PUBLIC.entries()) addresses[`a${at}.example.com`] = [address];
    for (const name of Object.keys(addresses))
      expect(await send(`https://${name}/`, MESSAGE, names.resolver())).toEqual(NOT_ON_THE_INTERNET);
    // A question that UDP loses is asked again.
    expect([connections(), otherLookups(), new Set(names.asked).size]).toEqual([0, 0, 2 * NOT_PUBLIC.length]);
  });

  test('is not connected to, and no other address of its name is', async () => {
    addresses = {
      'first.example.com': ['10.0.0.1', '8.8.8.8'],
      'last.example.com': ['8.8.8.8', '8.8.4.4', '9.9.9.9', '10.0.0.1'],
      'family.example.com': ['8.8.8.8', '::1'],
    };
    for (const name of Object.keys(addresses))
      expect(await send(`https://${name}/`, MESSAGE, names.resolver())).toEqual(NOT_ON_THE_INTERNET);
    expect([connections(), otherLookups()]).toEqual([0, 0]);
  });

  test('is not connected to when its name leads to it right after it was checked', async () => {
    let reached = 0;
    const port = await listen(createTcpServer(() => reached++));
    // An address of the Internet that no network has.
    const answers = [['2d00::1'], ['2d00::1'], ['127.0.0.1'], ['127.0.0.1']];
    const rebinding = await serveNames(() => answers.shift() ?? ['127.0.0.1']);
    await send(`https://rebinding.example.com:${port}/`, MESSAGE, rebinding.resolver());
    expect([...new Set(rebinding.asked)].sort()).toEqual(['A rebinding.example.com', 'AAAA rebinding.example.com']);
    expect([connections(), otherLookups(), reached]).toEqual([1, 0, 0]);
    // From now on, it leads there when it is checked.
    answers.length = 0;
    expect(await send(`https://rebinding.example.com:${port}/`, MESSAGE, rebinding.resolver())).toEqual(
      NOT_ON_THE_INTERNET,
    );
    expect([connections(), reached]).toEqual([1, 0]);
    rebinding.stop();
  });

  test('would be counted if it were connected to', async () => {
    let reached = 0;
    const port = await listen(createTcpServer((socket) => socket.end(String(reached++))));
    addresses = { 'hooks.example.com': ['127.0.0.1'] };
    process.env['WEBHOOK_HOSTS'] = 'loopback';
    await send(`https://hooks.example.com:${port}/`, MESSAGE, names.resolver());
    expect([connections(), reached, new Set(names.asked).size]).toEqual([1, 1, 2]);
  });
});

describe('a name', () => {
  test('that does not exist or has no address is an error', async () => {
    addresses = { 'empty.example.com': [] };
    const to = (host: string) => send(`https://${host}/`, MESSAGE, names.resolver());
    expect(await to('nowhere.example.com')).toEqual(failed('The name does not exist.'));
    expect(await to(`${'a'.repeat(64)}.example.com`)).toEqual(failed('The name does not exist.'));
    expect(await to('empty.example.com')).toEqual(failed('The name has no IP address.'));
    expect(connections()).toBe(0);
  });

  test('with many addresses makes us connect to a few of them', async () => {
    addresses = { 'many.example.com': Array.from({ length: 20 }, (_, at) => `127.0.1.${at}`) };
    expect(await send('https://many.example.com:65535/', MESSAGE, names.resolver())).toEqual(
      failed('The connection was refused.'),
    );
    expect(connections()).toBe(2);
  });
});

describe('a delivery', () => {
  test('is one POST of JSON over a connection of its own', async () => {
    const received: unknown[] = [];
    const url = await serve(async (request, response) => {
      const { method, headers } = request;
      received.push({ method, url: request.url, headers, body: await text(request) });
      response.writeHead(204).end();
    });
    expect(await send(`${url}/hooks?a=b`, MESSAGE)).toEqual(responded(204));
    expect(await send(url.replace('127.0.0.1', 'localhost'), MESSAGE)).toEqual(responded(204));
    const headers = {
      host: url.slice('http://'.length),
      'user-agent': 'AcquirerPartnerApi-Webhooks/1',
      'content-type': 'application/json',
      'content-length': '17',
      'webhook-id': 'a',
      connection: 'close',
    };
    expect(received).toEqual([
      { method: 'POST', url: '/hooks?a=b', headers, body: MESSAGE.body },
      {
        method: 'POST',
        url: '/',
        headers: { ...headers, host: headers.host.replace('127.0.0.1', 'localhost') },
        body: MESSAGE.body,
      },
    ]);
    expect(connections()).toBe(2);
  });

  test('ends with the status of the response, and follows no redirect', async () => {
    const requests: string[] = [];
    const url = await serve((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(Number(request.url?.slice(1)), { location: '/200' }).end('secret');
    });
    for (const status of [200, 201, 299, 301, 302, 307, 308, 401, 410, 500, 599])
      expect(await send(`${url}/${status}`, MESSAGE)).toEqual(responded(status));
    expect(requests).toHaveLength(11);
  });

  test('reads when to retry, in seconds or as a date', async () => {
    const { headers, ...server } = { headers: {} as Record<string, string>, server: createServer() };
    server.server.on('request', (_, response) => response.writeHead(503, headers).end());
    const url = `http://127.0.0.1:${await listen(server.server)}`;
    const read = async (value: string) => {
      headers['retry-after'] = value;
      return (await send(url, MESSAGE)).retry_after_s;
    };
    expect(await read('120')).toBe(120);
    expect(await read('0')).toBe(0);
    expect(await read(new Date(Date.now() - 60_000).toUTCString())).toBe(0);
    const inAnHour = await read(new Date(Date.now() + 3_600_000).toUTCString());
    expect(inAnHour).toBeGreaterThan(3_500);
    expect(inAnHour).toBeLessThanOrEqual(3_600);
    for (const junk of ['', '-1', '1.5', 'soon', '2026-11-28', '9'.repeat(10), 'Thu, 99 Foo 2026 99:99:99 GMT'])
      expect(await read(junk)).toBeUndefined();
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ['resets the connection', 'The connection was closed before a response.', (socket) => socket.resetAndDestroy()],
    ['closes the connection', 'The connection was closed before a response.', (socket) => socket.end()],
    [
      'cuts its headers',
      'The connection was closed before a response.',
      (socket) => socket.end('HTTP/1.1 200 OK\r\na: '),
    ],
    [
      'has a status of its own',
      'The response is not valid HTTP.',
      (socket) => socket.end('HTTP/1.1 999 Denied\r\n\r\n'),
    ],
    ['does not speak HTTP', 'The response is not valid HTTP.', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'wants another protocol',
      'The connection was closed before a response.',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    ],
    [
      'responds with large headers',
      'The headers of the response have more than 16 KB.',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(20)}\r\n`),
    ],
    [
      'never comes to an end of its interim responses',
      'The connection was closed before a response.',
      (socket) => {
        const more = () =>
          socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', (error) => error || setImmediate(more));
        more();
      },
    ],
  ])('to a server that %s is an error', async (_, error, respond) => {
    expect(await send(await serveBytes(respond), MESSAGE)).toEqual(failed(error));
  });

  test('to a port where no server is, is an error', async () => {
    const url = await serve(() => {});
    running[0]?.close();
    expect(await send(url, MESSAGE)).toEqual(failed('The connection was refused.'));
  });

  test('needs the status only: neither a large body nor one that is cut matters', async () => {
    let written = 0;
    const large = await serveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () =>
        socket.write(Buffer.alloc(100_000), (error) => {
          written += 100_000;
          return error || more();
        });
      more();
      socket.on('close', () => socket.destroy());
    });
    expect(await send(large, MESSAGE)).toEqual(responded(200));
    // What the systems of both sides buffer.
    expect(written).toBeLessThan(20_000_000);
    const cut = await serveBytes((socket) => socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nabc'));
    expect(await send(cut, MESSAGE)).toEqual(responded(202));
  });
});

describe('a certificate', () => {
  const trusted = newCertificate('hooks.example.com');
  const expired = newCertificate('hooks.example.com', { isExpired: true });
  const foreign = newCertificate('hooks.example.com');
  const elsewhere = newCertificate('other.example.com');
  const usual = getCACertificates();
  const servers: unknown[] = [];

  const deliverTo = async ({ pfx, passphrase }: KeyPair, version?: 'TLSv1.1') => {
    const server = createTlsServer(
      { pfx, passphrase, ...(version && { maxVersion: version, minVersion: 'TLSv1' }) },
      (_, response) => response.end(),
    );
    server.on('secureConnection', ({ servername }) => servers.push(servername));
    const port = await listen(server);
    addresses = { 'hooks.example.com': ['127.0.0.1'] };
    return send(`https://hooks.example.com:${port}/`, MESSAGE, names.resolver());
  };

  beforeAll(() => setDefaultCACertificates([trusted.cert, expired.cert, elsewhere.cert]));
  afterAll(() => setDefaultCACertificates(usual));

  test('of the host, by an authority that is known, is required, and the server is told the name', async () => {
    expect(await deliverTo(trusted)).toEqual(responded(200));
    expect(servers).toEqual(['hooks.example.com']);
  });

  test('of another host, an unknown authority or an earlier time is an error', async () => {
    expect(await deliverTo(elsewhere)).toEqual(failed('The certificate is not valid for this host.'));
    expect(await deliverTo(expired)).toEqual(failed('The certificate has expired.'));
    expect(await deliverTo(foreign)).toEqual(
      failed(
        'The certificate is not signed by a known authority, or the server does not send its intermediate certificates.',
      ),
    );
  });

  test('is of no use without TLS 1.2 or later', async () => {
    const OLD = failed('The server does not support TLS 1.2 or later on this port.');
    expect(await deliverTo(trusted, 'TLSv1.1')).toEqual(OLD);
    expect(await send((await serve(() => {})).replace('http:', 'https:'), MESSAGE)).toEqual(OLD);
  });

  test('is verified whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    expect(await deliverTo(foreign)).toMatchObject({ status: null });
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  });
});
