import { describe, expect, test } from '@jest/globals';
import { returnPath } from '../../../lib/people/returnPath.ts';

describe('a path of the console', () => {
  test.each([
    '/console',
    '/console/',
    '/console/keys',
    '/console/people?search=a%2Fb&sort=asc',
    '/console?tab=keys#created',
    '/console/branches/M%C3%BCnchen',
    '/console/sign-ins',
    `/console/${'a'.repeat(1000)}`,
  ])('is kept: %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });
});

describe('anything else leads to /console', () => {
  test.each([
    undefined,
    '',
    '/other',
    '/consolation',
    '/console.evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/console',
    'javascript:alert(1)',
    '/console//evil.example',
    '/console/..//evil.example',
    '/console/../ext/api/v1/merchants',
    '/console/%2e%2e/other',
    '/console/%2f%2fevil.example',
    '/console/%5cevil.example',
    '/console/%0d%0aSet-Cookie:a=b',
    '/console\\..\\evil',
    '/console@evil.example',
    '/console/\u0000',
    '/console/\r\nLocation: https://evil.example',
    '/console/\t/evil.example',
    '/console/／／evil.example',
    '/console/keys ',
    '/CONSOLE/keys',
    '/console/sign-in?return_to=/console/sign-in',
    '/console/callback?code=a',
    `/console/${'a'.repeat(1016)}`,
  ])('%j', (path) => {
    expect(returnPath(path)).toBe('/console');
  });
});
