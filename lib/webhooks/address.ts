import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LONGEST_URL } from '../base/url.ts';

/** What IANA has given out for hosts on the Internet. IPv6 that embeds an IPv4 address is elsewhere, or excluded. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of a host on the Internet. An IPv4-mapped IPv6 address is judged as the IPv4 address
 * that it reaches. Other addresses that embed one (IPv4-compatible, NAT64, 6to4, Teredo) are never public: what they
 * reach is for their gateway to say, and no receiver needs one.
 */
export function isPublic(address: string): boolean {
  if (!isIP(address)) return false;
  const ip = ipaddr.process(address);
  return ip.range() === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST));
}

/** Whether deliveries may go to this machine, also without TLS: only with `npm start` and in tests. */
const reachesLoopback = (): boolean => process.env['WEBHOOK_HOSTS'] === 'loopback';

/** Whether a delivery may connect to this IP address. */
export const mayConnect = ({ protocol }: URL, address: string): boolean =>
  (protocol === 'https:' && isPublic(address)) ||
  (reachesLoopback() && isIP(address) > 0 && ipaddr.process(address).range() === 'loopback');

/** The host in a URL as DNS and sockets name it: an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Names of this machine and of private networks (RFC 6761, 6762, 8375, ICANN), or without a dot, or with one last. */
const PRIVATE_NAME = /^[^.]*$|(^|\.)(localhost|local|internal|home\.arpa)$|\.$/;

/**
 * What is wrong with the address of a webhook; `undefined` if nothing is. Where its name leads is checked at each
 * delivery, because that may change: see send.ts.
 */
export function addressFault(text: string): string | undefined {
  // The parser drops or replaces some characters, so that what is shown would not be what is used.
  const url = /^[^\s\\]+$/.test(text) ? URL.parse(text) : null;
  if (text.length > LONGEST_URL) return `Must have at most ${LONGEST_URL} characters.`;
  if (url?.protocol !== 'https:' && !(reachesLoopback() && url?.protocol === 'http:'))
    return 'Must be an https URL, such as https://hooks.example.com/events.';
  if (url.username || url.password) return 'Must have no user and no password. The signature tells that it is us.';
  if (text.includes('#')) return 'Must have no fragment.';
  if (url.port && Number(url.port) < 1024) return 'Must have port 443, or one from 1024.';
  const host = hostOf(url);
  const isAllowed = isIP(host) ? mayConnect(url, host) : url.protocol === 'https:' && !PRIVATE_NAME.test(host);
  if (isAllowed || (reachesLoopback() && host === 'localhost')) return undefined;
  return 'Must have a host that is on the Internet.';
}
