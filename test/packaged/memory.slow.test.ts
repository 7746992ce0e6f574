import { expect, test } from '@jest/globals';
import { MEMORY } from '../../infra/stack/template/definitions.ts';
import { BODIES, bodyOf, HUNGRIEST, LARGEST, LARGEST_PARSED } from '../proofs/hostile/bodies.ts';
import { eventOf } from '../support/api.ts';
import { ownFolder } from '../support/scripts.ts';
import { newAcquirer } from '../support/world.ts';
import { runBundle, unpackBundle } from './instance.ts';

const folder = ownFolder();

test('a process that receives hostile bodies of up to 6 MB takes at most half of the memory of its function', async () => {
  const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const kinds = [...BODIES, HUNGRIEST].map(([, , , partsOf]) => partsOf);
  // Each body is made when it is sent.
  function* events() {
    for (let round = 1; round <= 6; round += 1)
      for (const partsOf of kinds)
        for (const bytes of [LARGEST_PARSED, LARGEST])
          yield eventOf('createTerminals', { key, path: { id: 'NOSUCHID' }, body: bodyOf(partsOf(bytes)) });
  }
  const { calls } = await runBundle(await unpackBundle(folder, 'createTerminals'), events());
  expect(calls.filter(({ status }) => status < 400)).toEqual([]);
  expect(calls.at(-1)?.megabytes).toBeLessThan(MEMORY / 2);
});
