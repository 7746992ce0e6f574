import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { addressFault, hostOf, mayConnect } from './address.ts';

/** How long a delivery may take, in milliseconds: from its name to the end of its response. */
export const LONGEST_DELIVERY_MS = 10_000;

/** How much of a response's body is read, so that its server can end it. It is thrown away. */
const MOST_READ_BYTES = 1024;

/** The most bytes of the headers of a response. */
const MOST_HEADER_BYTES = 16_384;

/** The most interim responses (1xx). */
const MOST_INTERIM = 10;

/** To how many addresses of each family a delivery may try to connect. Otherwise a name could make us scan networks. */
const MOST_ADDRESSES = 2;

/**
 * How long a connection to one address may take before the next is tried, in milliseconds. The 250 of Node.js are too
 * few for another continent.
 */
const CONNECT_MS = 3_000;

const USER_AGENT = 'AcquirerPartnerApi-Webhooks/1';

/** What became of a delivery. */
export interface Sent {
  /** Of the response, whatever it is. */
  status: number | null;
  /** Why there was no response, in words for people. They tell nothing of our side. */
  error: string | null;
  duration_ms: number;
  /** What a header `Retry-After` asks for. */
  retry_after_s?: number;
}

interface Message {
  headers: Record<string, string>;
  body: string;
}

type Answer = Pick<Sent, 'status' | 'retry_after_s'> | { error: string };

const NO_AUTHORITY =
  'The certificate is not signed by a known authority, or the server does not send its intermediate certificates.';
const NO_RESPONSE = `There was no response within ${LONGEST_DELIVERY_MS / 1000} s.`;
const NO_HTTP = 'The response is not valid HTTP.';
const UNREACHABLE = 'The host cannot be reached.';

const NAME_ERRORS: Record<string, string> = {
  ENOTFOUND: 'The name does not exist.',
  EBADNAME: 'The name does not exist.',
  ENODATA: 'The name has no IP address.',
};

const ERRORS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response.',
  EPIPE: 'The connection was closed before a response.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is not valid for this host.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: NO_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: NO_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: NO_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NO_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NO_AUTHORITY,
  EPROTO: 'The server does not support TLS 1.2 or later on this port.',
  HPE_HEADER_OVERFLOW: `The headers of the response have more than ${MOST_HEADER_BYTES / 1024} KB.`,
};

/** Says in words why there was no response. Without an error, the connection ended. */
function errorText(error?: NodeJS.ErrnoException): string {
  const code = error?.code ?? 'ECONNRESET';
  if (code.startsWith('HPE_')) return ERRORS[code] ?? NO_HTTP;
  if (code.startsWith('ERR_SSL_')) return ERRORS['EPROTO'] as string;
  return ERRORS[code] ?? 'The connection failed.';
}

/**
 * Posts JSON to a webhook's address, over a connection of its own, and follows no redirect. Throws for nothing that the
 * server or its name do.
 *
 * @param resolver Asks DNS directly: neither the hosts file nor a search domain of this machine counts, and a slow name
 *   server delays nobody else.
 */
export async function send(
  url: string,
  message: Message,
  resolver = new Resolver({ timeout: 1500, tries: 2 }),
): Promise<Sent> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(LONGEST_DELIVERY_MS);
  const answer = await answerOf(url, message, resolver, timeout);
  return { status: null, error: null, ...answer, duration_ms: Math.round(performance.now() - started) };
}

async function answerOf(text: string, message: Message, resolver: Resolver, timeout: AbortSignal): Promise<Answer> {
  if (addressFault(text)) return { error: 'The URL is not allowed.' };
  const url = new URL(text);
  const families = await resolve(hostOf(url), resolver, timeout);
  if ('error' in families) return families;
  if (!families.flat().every((address) => mayConnect(url, address)))
    return { error: 'The host is not on the Internet.' };
  // IPv4 first: Lambda has no IPv6 outside a VPC.
  const addresses = families.flatMap((family) => family.slice(0, MOST_ADDRESSES));
  return await post(url, addresses, message, timeout);
}

/** All addresses of a host, by family. */
async function resolve(
  host: string,
  resolver: Resolver,
  timeout: AbortSignal,
): Promise<string[][] | { error: string }> {
  if (isIP(host)) return [[host]];
  if (host === 'localhost') return [['127.0.0.1'], ['::1']];
  timeout.addEventListener('abort', () => resolver.cancel());
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? [family.value] : []));
  if (found.length > 0) return found;
  if (timeout.aborted) return { error: NO_RESPONSE };
  const [code = ''] = families.flatMap((family) => (family.status === 'rejected' ? [family.reason.code] : []));
  return { error: NAME_ERRORS[code] ?? 'The name could not be resolved.' };
}

/** Connects to one of these addresses and to no other: what is checked and what is used cannot differ. */
function post(url: URL, addresses: string[], { headers, body }: Message, timeout: AbortSignal): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const lookup: LookupFunction = (_host, _options, found) =>
    found(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  // Options of `net.connect`, of which the types of `request` lack one.
  const connecting = { lookup, autoSelectFamilyAttemptTimeout: CONNECT_MS };
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json', ...headers },
    // A new agent, so a connection of its own, without a proxy.
    agent: false,
    ...connecting,
    signal: timeout,
    maxHeaderSize: MOST_HEADER_BYTES,
    rejectUnauthorized: true,
  });
  let failure: NodeJS.ErrnoException | undefined;
  let response: IncomingMessage | undefined;
  let interim = 0;
  request
    .on('error', (error) => {
      failure ??= error;
    })
    .on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) request.destroy();
    })
    .on('response', (received) => {
      response = received;
      discard(received);
    })
    // The only event that always comes: after a response 101, there is no error.
    .on('close', () => {
      if (response) resolve(answerIn(response));
      else resolve({ error: timeout.aborted ? NO_RESPONSE : errorText(failure) });
    })
    .end(body);
  return promise;
}

function answerIn({ statusCode = 0, headers }: IncomingMessage): Answer {
  // Node.js accepts any three digits; HTTP ends at 599 (RFC 9110 §15).
  if (statusCode > 599) return { error: NO_HTTP };
  return { status: statusCode, ...retryAfter(headers['retry-after']) };
}

/** Reads the beginning of a response's body, then ends the connection. However that goes, there was a response. */
function discard(response: IncomingMessage): void {
  let bytes = 0;
  response
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_READ_BYTES) response.destroy();
    });
}

/** A date as HTTP has it (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Parses a header `Retry-After`: seconds, or a date. */
function retryAfter(header = ''): { retry_after_s?: number } {
  const seconds = /^\d{1,9}$/.test(header)
    ? Number(header)
    : HTTP_DATE.test(header)
      ? Math.max(0, Math.ceil((Date.parse(header) - Date.now()) / 1000))
      : Number.NaN;
  return Number.isNaN(seconds) ? {} : { retry_after_s: seconds };
}
