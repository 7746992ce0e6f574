import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';

/** A name server on this machine. */
export interface NameServer {
  /** Asks this server alone. */
  resolver: () => Resolver;
  /** What it was asked, such as `A hooks.example.com`, in order. */
  asked: string[];
  stop: () => void;
}

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA' };
const HEADER_BYTES = 12;

/** The bytes of an IP address. */
function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  // Without an IPv4 address at its end.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = plain.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** A record of the name that was asked for (RFC 1035 §4.1.3), for one second. */
const record = (type: number, data: Buffer): Buffer => {
  const fixed = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length]);
  return Buffer.concat([fixed, data]);
};

/**
 * Starts a name server.
 *
 * @param addressesOf The addresses of a name now; `undefined` if there is no such name, `never` for no answer.
 */
export async function serveNames(addressesOf: (name: string) => string[] | undefined | 'never'): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port }) => {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const [type, name] = [query.readUInt16BE(at + 1), labels.join('.')];
    asked.push(`${TYPES[type]} ${name}`);
    const addresses = addressesOf(name);
    if (addresses === 'never') return;
    const ofType = (addresses ?? []).filter((address) => (type === 28) === address.includes(':'));
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // A response, authoritative and recursive; 3 says that there is no such name.
    header.writeUInt16BE(0x8580 + (addresses ? 0 : 3), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(ofType.length, 6);
    const records = ofType.map((address) => record(type, bytesOf(address)));
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, at + 5), ...records]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    asked,
    stop: () => socket.close(),
    resolver: () => {
      const resolver = new Resolver({ timeout: 1500, tries: 2 });
      resolver.setServers([`127.0.0.1:${socket.address().port}`]);
      return resolver;
    },
  };
}
