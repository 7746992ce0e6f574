import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startServer } from '../../soak/server.ts';
import { compared, guidesFrom, type Step } from './guide.ts';

const guides = guidesFrom('quickstart.md');
/** Sets `base` and `key`, which all guides use. */
const [setup] = guides.flatMap(({ steps }) => steps);

/** A character that no command prints. */
const MARK = '\u001e';

/** Runs the commands of a guide in one shell, in a folder that has the demo file, and gives what each of them printed. */
async function run(steps: Step[], cwd: string): Promise<string[]> {
  const commands = steps.map(({ command }) => `${command}printf '${MARK}'\n`);
  const { stdout } = await promisify(execFile)('sh', ['-euc', commands.join('')], { cwd, timeout: 60_000 });
  return stdout.split(MARK).slice(0, -1);
}

test('each guide links to the next', () => {
  const files = globSync('docs/guides/*.md').map((file) => basename(file));
  expect(guides.map(({ name }) => name).sort()).toEqual(files.sort());
});

/** The guide that has its reader start the service with a rate limit, and that limit. */
const LIMITED = 'rate-limits.md';
const RATE = 5;

describe.each([
  ['', guides.filter(({ name }) => name !== LIMITED), {}],
  [' with a rate limit', guides.filter(({ name }) => name === LIMITED), { rate: RATE }],
])('what a guide says that a command%s prints', (_, told, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-guides-'));
  const stops: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];

  beforeAll(async () => {
    const { demo } = await startServer(stops, options);
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local/demo.json'), JSON.stringify(demo));
  }, 60_000);
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  test.each(told)(
    'is what it prints: $name',
    async ({ steps }) => {
      const all = steps[0] === setup ? steps : [setup as Step, ...steps];
      const outputs = await run(all, folder);
      const results = all.map((step, at) => ({ command: step.command, ...compared(step, outputs[at] ?? '') }));
      expect(results.map(({ command, printed }) => ({ command, prints: printed }))).toEqual(
        results.map(({ command, promised }) => ({ command, prints: promised })),
      );
    },
    70_000,
  );
});

describe('errors.md', () => {
  const text = readFileSync('docs/guides/errors.md', 'utf8');
  const found = (source: string, pattern: RegExp): string[] =>
    [...source.matchAll(pattern)].flatMap(([, code]) => code ?? []);

  test('has a section for every code of a problem, and for none else', () => {
    const codes = found(readFileSync('lib/problem.ts', 'utf8'), /^ {2}(\w+): \[\d{3}, /gm);
    expect(codes.length).toBeGreaterThan(10);
    expect(found(text, /^## ([a-z_]+)$/gm)).toEqual(codes);
  });

  test('has a section for every code of a fault, and for none else', () => {
    /** Of what only the operator's tool does. */
    const operators = ['disabled', 'invalid_limit', 'other_type', 'rotated'];
    const sources = globSync(['functions/**/*.ts', 'lib/**/*.ts']).map((file) => readFileSync(file, 'utf8'));
    const codes = sources.flatMap((source) => [
      ...found(source, /\bcode: '(\w+)'/g),
      ...found(source, /\bcoded(?:<.*>)?\(\s*'(\w+)'/g),
    ]);
    // The codes that valibot's own checks get.
    const kinds = found(readFileSync('lib/http/faults.ts', 'utf8'), /(?:\[|\?\? )'(\w+)'/g);
    expect(kinds.length).toBeGreaterThan(5);
    expect(found(text, /^### ([a-z_]+)$/gm).sort()).toEqual(
      [...new Set([...codes, ...kinds])].filter((code) => !operators.includes(code)).sort(),
    );
  });
});
