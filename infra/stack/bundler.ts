import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { zipSync } from 'fflate';
import { BUNDLING } from './bundling.ts';

/** The part of the serverless API that this plugin uses. */
interface Serverless {
  serviceDir: string;
  service: { functions: Record<string, { handler: string; package?: { artifact: string } }> };
}

/** The folder that serverless packages into. It moves what is in there to where `--package` says. */
const FOLDER = '.serverless';

/** The time and mode of a zipped file: always the same, so that the same bundle is the same zip. 3 is Unix. */
const ATTRIBUTES = { mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 };

/** A serverless plugin that bundles each function, and zips it without any other file. */
export default class Bundler {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor({ serviceDir, service }: Serverless) {
    const bundle = async () => {
      const functions = Object.entries(service.functions);
      const folder = join(serviceDir, FOLDER);
      // In one build, esbuild parses a module once for all functions. Their bundles share nothing.
      const { outputFiles } = await build({
        ...BUNDLING,
        absWorkingDir: serviceDir,
        entryPoints: functions.map(([name, { handler }]) => ({ in: handler.replace('.handler', '.ts'), out: name })),
        outdir: folder,
        outExtension: { '.js': '.mjs' },
        write: false,
      });
      const bundles = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
      mkdirSync(folder, { recursive: true });
      for (const [name, definition] of functions) {
        const contents = bundles.get(join(folder, `${name}.mjs`)) as Uint8Array;
        const zip = zipSync({ [definition.handler.replace('.handler', '.mjs')]: [contents, ATTRIBUTES] });
        definition.package = { artifact: join(FOLDER, `${name}.zip`) };
        writeFileSync(join(serviceDir, definition.package.artifact), zip);
      }
    };
    this.hooks = {
      'before:package:createDeploymentArtifacts': bundle,
      'before:deploy:function:packageFunction': bundle,
    };
  }
}
