import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { interfacePath } from '../../../infra/contract/paths.ts';
import { postman } from '../../../infra/contract/postman.ts';
import { OPERATIONS } from '../../support/api.ts';
import { CONTRACT } from '../../support/contract.ts';

interface Collection {
  variable: { key: string; value: string }[];
  item: { request: { method: string; url: { path: string[] } } }[];
}

const written = readFileSync('docs/postman.json', 'utf8');
const { variable, item }: Collection = JSON.parse(written);

test('docs/postman.json is up to date with the contract, byte for byte; if not, run npm run contract', () => {
  expect(written).toBe(`${JSON.stringify(postman(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))), null, 2)}\n`);
});

test('the collection calls exactly the operations of the contract', () => {
  const called = item.map(({ request: { method, url } }) => `${method} /${url.path.join('/')}`);
  const described = Object.entries(CONTRACT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `${method.toUpperCase()} ${interfacePath(path, operation).replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  expect(described).toHaveLength(OPERATIONS.length);
  expect([...new Set(called)].sort()).toEqual(described.sort());
});

test('the user fills in the API key', () => {
  expect(variable).toContainEqual({ key: 'apiKey', value: '', description: expect.any(String) });
  expect(written).not.toContain('apk_');
});
