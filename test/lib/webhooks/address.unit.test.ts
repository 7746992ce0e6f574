import { afterEach, describe, expect, test } from '@jest/globals';
import { LONGEST_URL } from '../../../lib/base/url.ts';
import { addressFault, isPublic } from '../../../lib/webhooks/address.ts';
import { NOT_PUBLIC } from '../../support/notPublic.ts';

afterEach(() => {
  delete process.env['WEBHOOK_HOSTS'];
});

describe('which IP addresses are public', () => {
  test.each(NOT_PUBLIC)('%s is not', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  // Next to each range that is not, and in the ranges of large hosts.
  test.each([
    ...['1.0.0.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0'],
    ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
    ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '52.28.0.1', '3.120.0.1'],
    ...['2001:200::', '2001:4860:4860::8888', '2003::1', '2606:4700::1111', '2a05:d014::1', '3ffe::1'],
    ...['::ffff:8.8.8.8', '::ffff:808:808'],
  ])('%s is', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '8.8.8.8.', ' 8.8.8.8', '8.8.8.8/8', '[2003::1]'])(
    'a text that is no IP address as DNS has it is not: "%s"',
    (text) => {
      expect(isPublic(text)).toBe(false);
    },
  );
});

describe('the address of a webhook', () => {
  test.each([
    'https://hooks.example.com',
    'https://hooks.example.com:443/events',
    'https://HOOKS.example.com:1024/events?acquirer=1&b=%20',
    'https://hooks.example.com:65535/',
    'https://müller.example/hooks',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    `https://hooks.example.com/${'a'.repeat(LONGEST_URL - 26)}`,
  ])('may be %s', (url) => {
    expect(addressFault(url)).toBeUndefined();
  });

  const NO_URL = 'Must be an https URL, such as https://hooks.example.com/events.';
  const NO_USER = 'Must have no user and no password. The signature tells that it is us.';
  const NO_PORT = 'Must have port 443, or one from 1024.';
  const NO_HOST = 'Must have a host that is on the Internet.';
  const REFUSED: Record<string, string[]> = {
    [NO_URL]: [
      ...['', 'hooks.example.com', '/events', 'http://hooks.example.com/', 'http://127.0.0.1/', 'ftp://a.example.com'],
      ...['javascript:alert(1)', 'file:///etc/passwd', 'https:', 'https://', 'https://a b.example.com/', 'wss://a.b.c'],
      ...[' https://hooks.example.com/', 'https://hooks.example.com/\n', 'https://hooks.exa\tmple.com/'],
      ...['https:\\\\hooks.example.com', 'https://hooks.example.com\\@127.0.0.1/', 'https://1.2.3.4.5/'],
      ...['https://300.1.1.1/', 'https://[::1', 'https://[fe80::1%25eth0]/', 'https://example.com:65536/'],
    ],
    [NO_USER]: ['https://user@hooks.example.com/', 'https://:secret@hooks.example.com/', 'https://8.8.8.8:1@10.0.0.1/'],
    'Must have no fragment.': ['https://hooks.example.com/#', 'https://hooks.example.com/a#b'],
    [NO_PORT]: [0, 22, 25, 80, 442, 444, 1023].map((port) => `https://hooks.example.com:${port}/`),
    [`Must have at most ${LONGEST_URL} characters.`]: [`https://hooks.example.com/${'a'.repeat(LONGEST_URL - 25)}`],
    [NO_HOST]: [
      ...['localhost', 'LOCALHOST', 'ⓛocalhost', 'localhost.', 'a.localhost', 'intranet', 'router.local', 'x.internal'],
      ...[
        'ip-10-0-0-1.eu-central-1.compute.internal',
        'metadata.google.internal',
        'nas.home.arpa',
        'hooks.example.com.',
      ],
      // As the parser of URLs reads them: decimal, octal, hexadecimal, short, escaped and full-width.
      ...['2130706433', '017700000001', '0x7f000001', '0177.0.0.1', '0x7f.0.0.1', '127.0.0.0x1', '127.1', '0', '0x0'],
      ...['%31%32%37.0.0.1', '１２７．０．０．１', '127。0。0。1', '①②⑦.⓪.⓪.①', '127.0.0.1.', '4294967295'],
      ...['0251.0376.0251.0376', '2852039166', '[::ffff:169.254.169.254]', '[0:0:0:0:0:ffff:7f00:0001]'],
      ...NOT_PUBLIC.map((address) => (address.includes(':') ? `[${address}]` : address)),
    ].map((host) => `https://${host}/`),
  };
  test.each(Object.entries(REFUSED).flatMap(([fault, urls]) => urls.map((url) => [fault, url])))(
    '%s %j is refused',
    (fault, url) => {
      expect(addressFault(url)).toBe(fault);
    },
  );

  describe('with npm start', () => {
    test.each([
      ...['http://127.0.0.1:8080/hooks', 'http://127.9.9.9/', 'http://localhost/', 'https://localhost:8443/'],
      ...['http://[::1]:8080/', 'https://127.0.0.1/', 'https://hooks.example.com/'],
    ])('may be %s', (url) => {
      process.env['WEBHOOK_HOSTS'] = 'loopback';
      expect(addressFault(url)).toBeUndefined();
    });

    test.each([
      ...[
        'http://hooks.example.com/',
        'http://8.8.8.8/',
        'http://10.0.0.1/',
        'http://169.254.169.254/',
        'http://[fd00::1]/',
      ],
      ...['https://10.0.0.1/', 'https://router.local/', 'http://a.localhost/', 'http://0.0.0.0/', 'http://[::]/'],
    ])('may not be %s', (url) => {
      process.env['WEBHOOK_HOSTS'] = 'loopback';
      expect(addressFault(url)).toBe(NO_HOST);
    });
  });
});
