import { expect, test } from '@jest/globals';
import { joined, routed } from '../../../infra/local/gateway.ts';

test.each([
  ['GET', '/ext/api/v1/merchants', '/ext/api/v1/merchants'],
  ['GET', '/ext/api/v1/merchants?search=a/', '/ext/api/v1/merchants?search=a/'],
  ['GET', '/ext/api/v1/merchants/', '/ext/api/v1/merchants//'],
  ['GET', '/ext/api/v1/merchants/?page=1?/', '/ext/api/v1/merchants//?page=1?/'],
  ['HEAD', '/ext/api/v1/merchants/A?b', '/-/ext/api/v1/merchants/A?b'],
])('%s %s is routed as %s', (method, url, expected) => {
  expect(routed(method, url)).toBe(expected);
});

test('repeated headers are joined, and JSON is forwarded as text', () => {
  expect(joined({ 'api-key': ['a', 'b'] })).toEqual({ 'api-key': 'a,b', 'content-type': 'text/plain' });
  expect(joined({ 'content-type': ['application/json; charset=utf-8'] })).toEqual({ 'content-type': 'text/plain' });
  expect(joined({ 'content-type': ['image/png'], x: '1' })).toEqual({ 'content-type': 'image/png', x: '1' });
});
