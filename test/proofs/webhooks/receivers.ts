import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { serve } from '../../../infra/local/serve.ts';
import { newCertificate } from '../../support/certificates.ts';
import { oneOf } from './dice.ts';

/** How servers of partners respond to a delivery, and how often of 100. */
const WAYS = { ok: 52, slow: 8, hang: 4, '500': 10, '302': 6, '410': 1, '429': 3, reset: 8, cut: 8 };
type Way = `${keyof typeof WAYS}`;

/** From how long on a response is slow, and hangs, in milliseconds: less than in earnest, so that the proof is short. */
export const SLOW_MS = 40;
export const HANG_MS = 150;

/** A delivery that a receiver has got. */
interface Got {
  id: string;
  events: string[];
  isAccepted: boolean;
  at: number;
}

/** A webhook as its receiver knows it: the secrets by which it may be signed, and what it has got so far. */
export interface Receiver {
  name: string;
  secrets: { secret: string; from: number; until: number }[];
  got: Got[];
  inFlight: number;
}

const RESPONSES: Record<Way, (response: ServerResponse) => unknown> = {
  ok: (response) => response.writeHead(204).end(),
  slow: async (response) => {
    await sleep(1.5 * SLOW_MS);
    response.writeHead(200).end('thanks');
  },
  hang: () => {},
  500: (response) => response.writeHead(500).end('at db.example.com: no'),
  302: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  410: (response) => response.writeHead(410).end(),
  429: (response) => response.writeHead(429, { 'retry-after': '20' }).end(),
  reset: (response) => response.socket?.resetAndDestroy(),
  cut: (response) => response.socket?.end('HTTP/1.1 200 OK\r\nconte'),
};

/** Serves the receivers of all partners, by the path of the URL, and a server with a certificate that nobody trusts. */
export async function serveReceivers(receivers: Receiver[]) {
  const faults: string[] = [];
  const server = await serve(async (request, response) => {
    const receiver = receivers.find(({ name }) => request.url === `/${name}?token=hidden`);
    if (!receiver) {
      faults.push(`${request.url} was requested.`);
      return response.end();
    }
    receiver.inFlight += 1;
    if (receiver.inFlight > 1) faults.push(`${receiver.name} has two attempts at once.`);
    response.on('close', () => {
      receiver.inFlight -= 1;
    });
    const body = await text(request);
    const now = Date.now();
    for (const { secret, from, until } of receiver.secrets)
      if (from <= now && now < until)
        try {
          new Verifier(secret).verify(body, request.headers as Record<string, string>);
        } catch (error) {
          faults.push(`${receiver.name}: ${error}`);
        }
    const way = oneOf(WAYS, 'way', receiver.name, receiver.got.length);
    receiver.got.push({
      id: String(request.headers['webhook-id']),
      events: (JSON.parse(body).data as { id: string }[]).map(({ id }) => id),
      isAccepted: way === 'ok' || way === 'slow',
      at: now,
    });
    return RESPONSES[way](response);
  });
  const untrusted = createServer(newCertificate('localhost'), () => faults.push('A certificate was not checked.'));
  untrusted.listen(0, '127.0.0.1');
  await once(untrusted, 'listening');
  const { port } = untrusted.address() as AddressInfo;
  return {
    faults,
    urlOf: ({ name }: Receiver) => `${server.url}/${name}?token=hidden`,
    untrusted: `https://127.0.0.1:${port}/`,
    stop: async () => {
      untrusted.close();
      await server.stop();
    },
  };
}
