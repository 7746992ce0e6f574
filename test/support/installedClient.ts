import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../infra/publish/contract/clientPackage.ts';

/** Installs the typed client in a folder, as npm does, from its tarball. Returns the folder's `node_modules`. */
export async function installClient(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const client = join(modules, 'acquirer-partner-api-client');
  mkdirSync(client, { recursive: true });
  writeFileSync(join(folder, 'client.tgz'), await packClient());
  await promisify(execFile)('tar', ['-xzf', 'client.tgz', '-C', client, '--strip-components=1'], { cwd: folder });
  symlinkSync(resolve('node_modules/openapi-fetch'), join(modules, 'openapi-fetch'));
  return modules;
}
