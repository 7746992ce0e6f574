import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ROOT, refresh } from './generated.ts';

const NAME = 'acquirer-partner-api-client';
const COPIED = ['schema.d.ts', 'README.md', 'examples'];

const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** The package.json. Its version is that of the API; it depends on the `openapi-fetch` that the tests use. */
const manifest = (): object => ({
  name: NAME,
  version: json('docs/openapi.json').info.version,
  description: 'Typed client of the Acquirer Partner API.',
  license: 'UNLICENSED',
  type: 'module',
  engines: { node: '>=20.3' },
  exports: {
    '.': { types: './client.d.ts', default: './client.js' },
    './apply': { types: './apply.d.ts', default: './apply.js' },
  },
  files: ['client.js', 'client.d.ts', 'apply.js', 'apply.d.ts', 'schema.d.ts', 'examples'],
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
    for (const name of ['client', 'apply']) {
      const source = readFileSync(join(ROOT, `docs/client/${name}.ts`), 'utf8');
      write(`${name}.js`, ts.transpileModule(source, { compilerOptions }).outputText);
      write(`${name}.d.ts`, ts.transpileDeclaration(source, { compilerOptions }).outputText);
    }
    for (const name of COPIED) cpSync(join(ROOT, 'docs/client', name), join(folder, name), { recursive: true });
    const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder });
    return readFileSync(join(folder, JSON.parse(stdout)[0].filename));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
