import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type OutputFile } from 'esbuild';
import { barrels } from './barrels.ts';
import { stylesInUse } from './styles.ts';
import { texts } from './texts.ts';

interface Asset {
  type: string;
  /** Its bytes in base64, by `Content-Encoding`: compressed when it was built, or as they are. */
  bodies: { br: string; gzip: string } | { identity: string };
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
  /** The script of the worker that reads files. */
  reader: string;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = 'functions/console/app';
const OUTPUT = 'assets';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Compresses an asset once, as well as its encodings can. Fonts are compressed already. */
async function assetOf({ path, contents }: OutputFile): Promise<Asset> {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`infra/stack/console/build.ts has no content type for ${path}.`);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  if (extname(path) === '.woff2') return { type, bodies: { identity: base64(contents) } };
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(contents, { params }),
    promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return { type, bodies: { br: base64(br), gzip: base64(gz) } };
}

/** Bundles the browser code that an entry point leads to. The name of each asset contains a hash of its contents. */
async function bundled(entry: string) {
  const { outputFiles, metafile, warnings } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: OUTPUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/assets',
    bundle: true,
    plugins: [barrels, stylesInUse, texts],
    format: 'esm',
    splitting: true,
    minify: true,
    // The oldest with AbortSignal.any, Promise.withResolvers, Map.groupBy and light-dark().
    target: ['chrome123', 'firefox124', 'safari17.5'],
    jsx: 'automatic',
    loader: { '.woff2': 'file', '.svg': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    write: false,
  });
  if (warnings.length > 0) throw new Error(`The console was built with ${warnings.length} warnings.`);
  return { named: outputFiles.map((file) => [basename(file.path), file] as const), metafile };
}

/** Bundles the console's browser code, and by itself the worker's, which shares no file with the page. */
export async function buildConsole(): Promise<ConsoleApp> {
  const [{ named: ofPage, metafile }, { named: ofWorker }] = await Promise.all([
    bundled(`${SOURCES}/main.tsx`),
    bundled(`${SOURCES}/files/reader.worker.ts`),
  ]);
  const named = [...ofPage, ...ofWorker];
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `${SOURCES}/main.tsx`);
  if (!entry?.[1].cssBundle) throw new Error('The console was built without its script or its style.');
  const nameOf = (pattern: RegExp): string => named.find(([name]) => pattern.test(name))?.[0] ?? '';
  return {
    assets: Object.fromEntries(
      await Promise.all(named.map(async ([name, file]) => [name, await assetOf(file)] as const)),
    ),
    script: basename(entry[0]),
    style: basename(entry[1].cssBundle),
    // What the script imports at once, so that a browser need not wait for the script to ask for it.
    modules: entry[1].imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
    font: nameOf(/^inter-latin-wght-normal-.*\.woff2$/),
    icon: nameOf(/^favicon-.*\.svg$/),
    reader: nameOf(/^reader\.worker-.*\.js$/),
  };
}
