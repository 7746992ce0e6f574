import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { DATA, ROOT } from '../../../../infra/operate/deploy/stacks.ts';
import { PARAMETERS, parametersOf } from '../../../../infra/stack/template/parameters.ts';
import { wrongAt } from '../../../packaged/wrongParameters.ts';
import { ownFolder } from '../../../support/scripts.ts';

/*
 * What `npm run package`, `deploy` and `remove` refuse before they package or ask AWS, run as people run them, in a
 * copy of the project with other rows. serverless refuses the same by itself.
 */

const PROJECT = ownFolder();
for (const each of ['docs', 'functions', 'infra', 'lib', 'package.json', 'serverless.yml'])
  cpSync(join(ROOT, each), join(PROJECT, each), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(PROJECT, 'node_modules'));
const ROWS = 'infra/stack/stages.yml';
const stages = parse(readFileSync(join(ROOT, ROWS), 'utf8'));

/**
 * Runs a command of the copy, in one of its folders and without a terminal, with other parameters in the row of prod.
 * Returns all that it prints.
 */
async function run(file: string, args: string[], row: Record<string, unknown> = {}, folder = '.') {
  writeFileSync(join(PROJECT, ROWS), stringify({ ...stages, prod: { ...stages.prod, ...row } }));
  const child = spawn(process.execPath, [join(PROJECT, file), ...args], {
    cwd: join(PROJECT, folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing answers there, so a command that asks AWS fails with something else.
    env: {
      PATH: process.env['PATH'],
      HOME: PROJECT,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, printed: output + errors };
}
const npmRun = (args: string[], row?: object) => run('infra/operate/deploy/main.ts', args, { ...row });
const serverless = (args: string[], row?: object) =>
  run('node_modules/serverless/bin/serverless.js', args, { ...row }, DATA);

/*
 * Every parameter with a wrong value and misspelled, at once. test/packaged/parameters.unit.test.ts tries more values,
 * one after another.
 */
const WRONG = wrongAt(await parametersOf('prod'), 0);
const MISSPELLED = PARAMETERS.map((name) => `${name}s`);
const FAULTS = [
  ...PARAMETERS.map((name) => `The parameter ${name} must be `),
  ...MISSPELLED.map((name) => `There is no parameter ${name}: see `),
];

test.each([
  ['npm run package', npmRun],
  ['serverless, whoever runs it,', serverless],
])(
  '%s refuses every parameter that is wrong or misspelled, in a row and as --param, without a stack',
  async (_, start) => {
    const row = { ...WRONG.row, ...Object.fromEntries(MISSPELLED.map((name) => [name, 1])) };
    const given = [...WRONG.given, ...MISSPELLED.flatMap((name) => ['--param', `${name}=1`])];
    const stage = ['package', '--stage', 'prod'];
    for (const { code, printed } of [await start(stage, row), await start([...stage, ...given])]) {
      expect(code).toBe(1);
      expect(FAULTS.filter((fault) => !printed.includes(fault))).toEqual([]);
      expect(printed).not.toMatch(/^ +at /m);
    }
  },
);

test('a rate that does not fit the burst of the row is refused before a deployment', async () => {
  const { code, printed } = await npmRun(['deploy', '--stage', 'prod', '--param=rate=90']);
  expect([code, printed]).toEqual([
    1,
    'The parameters rate and burst contradict each other. The rate must be a positive whole number and the burst a ' +
      'multiple of it, at most 60 times the rate: not 90 and 200.\n',
  ]);
});

test('a removal without a stage is refused', async () => {
  expect(await npmRun(['remove', '--param', 'account=111122223333'])).toEqual({
    code: 1,
    printed: 'Name the stage: add "-- --stage <stage>". Stages: dev, staging, prod.\n',
  });
  // Not even by serverless itself.
  expect(await serverless(['remove'])).toMatchObject({
    code: 1,
    printed: expect.stringContaining('Cannot resolve variable at "provider.stage"'),
  });
});
