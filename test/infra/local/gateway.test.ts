import { describe, expect, test } from '@jest/globals';
import {
  isEventTooLarge,
  isHeadTooLarge,
  isResultTooLarge,
  requested,
  responded,
  routed,
} from '../../../infra/local/gateway.ts';

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
  expect(requested('POST', { 'api-key': ['a', 'b'] })).toEqual({ 'api-key': 'a,b', 'content-type': 'text/plain' });
  expect(requested('POST', { 'content-type': ['application/json; charset=utf-8'] })).toEqual({
    'content-type': 'text/plain',
  });
  expect(requested('POST', { 'content-type': ['image/png'], x: '1' })).toEqual({ 'content-type': 'image/png', x: '1' });
});

test.each([
  ['several headers', ['a=1; b=2', 'c=3'], 'a=1; b=2; c=3'],
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

test('cookies of a response stay apart', () => {
  expect(responded({ 'set-cookie': ['a=1', 'b=2'] })).toEqual({ 'set-cookie': ['a=1', 'b=2'] });
});

test('a response has no headers for another origin', () => {
  expect(responded({ 'access-control-allow-origin': ['*'], 'access-control-max-age': ['9'], vary: ['a'] })).toEqual({
    vary: ['a'],
  });
});

test.each([
  [10_240, false],
  [10_241, true],
])('request line and header values of %i bytes are too large: %s', (bytes, expected) => {
  const head = { method: 'GET', url: '/é', httpVersion: '1.1', rawHeaders: ['Name', 'value', 'Long', ''] };
  // Header values are read as Latin-1, so each of their characters is a byte.
  const rest = bytes - 'GET /é HTTP/1.1'.length - 'value'.length;
  expect(isHeadTooLarge({ ...head, rawHeaders: [...head.rawHeaders.slice(0, 3), 'é'.repeat(rest)] })).toBe(expected);
});

describe('an event', () => {
  const MOST = 6_291_456;
  const head = (type?: string) => ({ url: '/', headers: type === undefined ? {} : { 'content-type': type } });
  const withoutBody = (type?: string) => Buffer.byteLength(JSON.stringify({ ...head(type), body: '' }));

  test.each<[what: string, type: string | undefined, text: string, size: number]>([
    ['JSON', 'application/json', 'x', 1],
    ['JSON whose quotes are escaped', 'application/json; charset=utf-8', '"', 2],
    ['JSON with characters of several bytes', 'application/problem+json', '🏪', 4],
    ['text', 'text/plain', 'x', 1],
    ['three bytes that are encoded in base64', 'image/png', '"é', 4],
    ['three bytes without a content type', undefined, '"é', 4],
  ])('is too large from 6 MB on, with a body of %s', (_, type, text, size) => {
    const count = Math.floor((MOST - withoutBody(type)) / size);
    expect(isEventTooLarge(head(type), Buffer.from(text.repeat(count)))).toBe(false);
    expect(isEventTooLarge(head(type), Buffer.from(text.repeat(count + 1)))).toBe(true);
  });
});

test('the result of a function is too large from 6 MB on, with its response as text', () => {
  const head = { statusCode: 200, headers: {} };
  const count = (6_291_456 - Buffer.byteLength(JSON.stringify({ ...head, body: '' }))) / 2;
  expect(isResultTooLarge(head, Buffer.from('"'.repeat(Math.floor(count))))).toBe(false);
  expect(isResultTooLarge(head, Buffer.from('"'.repeat(Math.floor(count) + 1)))).toBe(true);
});
