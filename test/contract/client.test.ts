import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { clientTypes } from '../../contract/client.ts';
import { CONTRACT } from '../support/contract.ts';

test('docs/client/schema.d.ts is what `npm run contract` makes of the contract', async () => {
  expect(readFileSync('docs/client/schema.d.ts', 'utf8')).toBe(await clientTypes(CONTRACT));
});
