/**
 * IP addresses that no webhook may reach: of each range of IANA's registries of special-purpose addresses (RFC 6890)
 * the first or the last, those that clouds have for themselves, multicast, what is not given out, and IPv4 addresses
 * inside of IPv6.
 */
export const NOT_PUBLIC = [
  // This host, on this network.
  ...['0.0.0.0', '0.255.255.255', '::'],
  // Loopback.
  ...['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  // Private, shared (carrier-grade NAT) and unique local.
  ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ...['100.64.0.0', '100.127.255.255', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  // Link-local and site-local.
  ...['169.254.0.0', '169.254.255.255', 'fe80::', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1'],
  // Metadata, credentials, DNS and time of clouds.
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.169.253', '169.254.169.123', '169.254.100.1'],
  ...['100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::253', 'fd00:ec2::23', 'fd20:ce::254'],
  // Of the IETF's protocols, and for documentation and benchmarks.
  ...[
    '192.0.0.0',
    '192.0.0.8',
    '192.0.0.170',
    '192.0.0.255',
    '192.0.2.0',
    '192.0.2.255',
    '198.18.0.0',
    '198.19.255.255',
  ],
  ...['198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '2001:db8::', '2001:db8:ffff::1'],
  ...['2001:1::1', '2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1', '2001:20::1', '2001:30::1', '2001:1ff::1'],
  ...['3fff::', '3fff:fff:ffff::1', '2620:4f:8000::1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '192.88.99.1'],
  ...['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1', '5f00::1', '64:ff9a::1', '64:ff9c::1'],
  // Multicast, reserved and broadcast, and IPv6 that is not given out.
  ...['224.0.0.0', '224.0.0.1', '239.255.255.255', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
  ...['ff00::', 'ff02::1', 'ff0e::1', 'ffff::1', '200::1', '1fff:ffff::1', '4000::1', '8000::1', 'e000::1', 'fe00::1'],
  // IPv4-mapped.
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0:0',
  ],
  // IPv4-compatible and IPv4-translated.
  ...['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::ffff:0:127.0.0.1', '::ffff:0:a9fe:a9fe'],
  // NAT64, also for local use.
  ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1', '64:ff9b:1:7f00:0:100::'],
  ...['64:ff9b:1:ffff:ffff:ffff:a9fe:a9fe'],
  // 6to4 and Teredo, whose client's address is inverted.
  ...['2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::1', '2001::1', '2001:0:a00:1:0:0:80ff:fffe'],
];
