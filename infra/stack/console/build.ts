import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

interface Asset {
  type: string;
  /** Its bytes in base64, by `Content-Encoding`: compressed when it was built, or as they are. */
  bodies: { br?: string; gzip: string } | { identity: string };
}

/** The console's browser code as it was built. */
export interface ConsoleApp {
  /** All files by name. A name contains a hash of the contents. */
  assets: Record<string, Asset>;
  /** The names of the files that the page loads first. */
  script: string;
  style: string;
  modules: string[];
  font: string;
  icon: string;
}

/** What Vite says of a file that it has built: https://vite.dev/guide/backend-integration */
interface Chunk {
  file: string;
  /** The keys of what it imports at once. */
  imports?: string[];
}

const APP = fileURLToPath(new URL('../../../functions/console/app', import.meta.url));
const VITE = join(createRequire(join(APP, 'package.json')).resolve('vite/package.json'), '../bin/vite.js');

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

const gzipped = (contents: Buffer) => promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION });

/** Compresses an asset once, as well as its encodings can. Fonts are compressed already. */
async function assetOf(path: string): Promise<Asset> {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`infra/stack/console/build.ts has no content type for ${path}.`);
  const contents = readFileSync(path);
  if (extname(path) === '.woff2') return { type, bodies: { identity: contents.toString('base64') } };
  // Brotli saves a fifth of it, and takes ten seconds.
  if (extname(path) === '.wasm') return { type, bodies: { gzip: (await gzipped(contents)).toString('base64') } };
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(contents, { params }), gzipped(contents)]);
  return { type, bodies: { br: br.toString('base64'), gzip: gz.toString('base64') } };
}

/** Builds the console's browser code: `npm run build` in its folder, into another one. */
export async function buildConsole(): Promise<ConsoleApp> {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  try {
    // Test files build it at the same time, each into a folder of its own, so no build has to keep others out.
    const output = ['--outDir', folder, '--emptyOutDir', '--bypass-lock'];
    const options = ['--configLoader', 'native', '--logLevel', 'warn', ...output];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [VITE, 'build', ...options], {
      cwd: APP,
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (stdout + stderr !== '') throw new Error(`The console was built with warnings:\n${stdout}${stderr}`);
    const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
    const chunkOf = (pattern: RegExp): Chunk => {
      const [, chunk] = Object.entries(manifest).find(([key]) => pattern.test(key)) ?? [];
      if (!chunk) throw new Error(`The console was built without ${pattern}.`);
      return chunk;
    };
    const nameOf = (pattern: RegExp): string => basename(chunkOf(pattern).file);
    const importsOf = ({ imports = [] }: Chunk): string[] =>
      imports.flatMap((key) => [key, ...importsOf(manifest[key] as Chunk)]);
    const names = readdirSync(join(folder, 'assets'));
    const assets = names.map(async (name) => [name, await assetOf(join(folder, 'assets', name))] as const);
    return {
      assets: Object.fromEntries(await Promise.all(assets)),
      script: nameOf(/^main\.tsx$/),
      style: nameOf(/^style\.css$/),
      // What the script imports at once, so that a browser need not wait for the script to ask for it.
      modules: [...new Set(importsOf(chunkOf(/^main\.tsx$/)))].map((key) => basename((manifest[key] as Chunk).file)),
      font: nameOf(/\/inter-latin-wght-normal\.woff2$/),
      icon: nameOf(/\/favicon\.svg$/),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
