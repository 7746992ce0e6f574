import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { ROOT, refresh } from './generated.ts';

const NAME = 'acquirer-partner-api-client';
/** The oldest Node.js that it runs on. */
const NODE = '20.3';
const ENTRIES = ['client', 'apply', 'estate'];
/** Those with declarations: the entries, and what the declarations of entries import. */
const DECLARED = [...ENTRIES, 'estate/criteria'];
const COPIED = ['schema.d.ts', 'README.md', 'examples'];

const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** The package.json. Its version is that of the API; it depends on the `openapi-fetch` that the tests use. */
const manifest = (): object => ({
  name: NAME,
  version: json('docs/openapi.json').info.version,
  description: 'Typed client of the Acquirer Partner API.',
  license: 'UNLICENSED',
  type: 'module',
  engines: { node: `>=${NODE}` },
  exports: {
    '.': { types: './client.d.ts', default: './client.js' },
    './apply': { types: './apply.d.ts', default: './apply.js' },
    './estate': { types: './estate.d.ts', default: './estate.js' },
  },
  files: ['*.js', '*.d.ts', 'estate', 'examples'],
  dependencies: { 'openapi-fetch': json('node_modules/openapi-fetch/package.json').version },
});

/**
 * Packs `docs/client/` as the tarball that partners install: JavaScript, its types, a README and the guides' programs.
 * The result is reproducible.
 *
 * @throws Error when `npm pack` fails.
 */
export async function packClient(): Promise<Buffer> {
  refresh();
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  const folder = mkdtempSync(join(tmpdir(), `${NAME}-`));
  try {
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('package.json', `${JSON.stringify(manifest(), null, 2)}\n`);
    await build({
      absWorkingDir: ROOT,
      entryPoints: ENTRIES.map((name) => `docs/client/${name}.ts`),
      outdir: folder,
      bundle: true,
      packages: 'external',
      format: 'esm',
      target: `node${NODE}`,
    });
    mkdirSync(join(folder, 'estate'));
    for (const name of DECLARED) {
      const source = readFileSync(join(ROOT, `docs/client/${name}.ts`), 'utf8');
      write(`${name}.d.ts`, ts.transpileDeclaration(source, { compilerOptions }).outputText);
    }
    for (const name of COPIED) cpSync(join(ROOT, 'docs/client', name), join(folder, name), { recursive: true });
    const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder });
    return readFileSync(join(folder, JSON.parse(stdout)[0].filename));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
