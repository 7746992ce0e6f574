import { expect, test } from '@jest/globals';
import { requested, responded, routed } from '../../../infra/local/gateway.ts';

test.each([
  ['GET', '/ext/api/v1/merchants', '/ext/api/v1/merchants'],
  ['GET', '/ext/api/v1/merchants?search=a/', '/ext/api/v1/merchants?search=a/'],
  ['GET', '/ext/api/v1/merchants/', '/ext/api/v1/merchants//'],
  ['GET', '/ext/api/v1/merchants/?page=1?/', '/ext/api/v1/merchants//?page=1?/'],
  ['HEAD', '/ext/api/v1/merchants/A?b', '/-/ext/api/v1/merchants/A?b'],
])('%s %s is routed as %s', (method, url, expected) => {
  expect(routed(method, url)).toBe(expected);
});

test('JSON is forwarded as text', () => {
  expect(requested('POST', { 'content-type': ['application/json; charset=utf-8'] })).toEqual({
    'content-type': 'text/plain',
  });
  expect(requested('POST', { 'content-type': ['image/png'], x: '1' })).toEqual({ 'content-type': 'image/png', x: '1' });
});

test.each([
  ['a value with "="', ['a=b==; c='], 'a=b==; c='],
  ['cookies that serverless-offline refuses', ['a="b"; c=d,e; f; g=1;; __proto__=h; i j=k; l=2'], 'g=1; l=2'],
  ['no valid cookie', ['a'], undefined],
])('cookies are joined by semicolons: %s', (_, cookie, expected) => {
  expect(requested('GET', { cookie, 'content-type': 'a/b' })).toEqual({
    'content-type': 'a/b',
    ...(expected !== undefined && { cookie: expected }),
  });
});

test('a preflight is forwarded without its origin, to which serverless-offline responds itself', () => {
  const headers = { origin: ['https://a.example'], 'access-control-request-method': ['GET'], 'content-type': ['a/b'] };
  expect(requested('OPTIONS', headers)).toEqual({ 'access-control-request-method': 'GET', 'content-type': 'a/b' });
  expect(requested('POST', headers)).toMatchObject({ origin: 'https://a.example' });
});

test('a response has no headers for another origin', () => {
  expect(responded({ 'access-control-allow-origin': ['*'], 'access-control-max-age': ['9'], vary: ['a'] })).toEqual({
    vary: ['a'],
  });
});
