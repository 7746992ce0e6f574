import { globSync, watch } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { forThisMachine } from './serve.ts';

/** The part of the serverless API that this plugin uses. */
interface Serverless {
  serviceDir: string;
  service: { functions: Record<string, { handler: string; environment?: Record<string, string> }> };
  pluginManager: { spawn: (entrypoint: string) => Promise<void> };
}

/** How long nothing must change before functions end, so that none loads half of a change. */
const SETTLED_MS = 100;

/**
 * Calls back after code has changed. Watches each folder, because Node.js on Linux loses sight of a replaced file when it
 * watches recursively, and looks for new folders after each change.
 */
function watchCode(root: string, changed: () => void): void {
  let settled: NodeJS.Timeout | undefined;
  const watchers = globSync('{functions,lib}/**/', { cwd: root, exclude: ['**/node_modules'] }).map((folder) =>
    watch(join(root, folder), { persistent: false }, () => {
      clearTimeout(settled);
      settled = setTimeout(() => {
        watchCode(root, changed);
        for (const watcher of watchers) watcher.close();
        changed();
      }, SETTLED_MS);
    }),
  );
}

/**
 * A serverless plugin of the stage `local`, in place of the bundler: serverless-offline runs the functions' TypeScript, each
 * function in threads of its own. After code has changed, it ends them, so the next requests run the new code.
 */
export default class Offline {
  readonly hooks: Record<string, () => void>;

  constructor({ serviceDir, service, pluginManager }: Serverless) {
    this.hooks = {
      'before:offline:start:init': () => {
        const { createServer } = http;
        http.createServer = ((...options: Parameters<typeof createServer>) =>
          forThisMachine(createServer(...options))) as typeof createServer;
        for (const definition of Object.values(service.functions)) {
          definition.environment = { ...definition.environment, _HANDLER: definition.handler };
          definition.handler = 'infra/local/thread.handler';
        }
        watchCode(serviceDir, () => pluginManager.spawn('offline:functionsUpdated'));
      },
    };
  }
}
