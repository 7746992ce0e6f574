import dns from 'node:dns';

/*
 * Preloaded into the processes of a run, because not every resolver knows the names under `localhost` (RFC 6761,
 * section 6.3), and MiniStack serves an HTTP API at `<id>.execute-api.localhost`.
 */

const { lookup } = dns;
const local = (host: string, ...others: unknown[]) =>
  Reflect.apply(lookup, dns, [host.endsWith('.localhost') ? 'localhost' : host, ...others]);
Object.assign(dns, { lookup: local });
