import { mkdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { siteSettings } from './settings.ts';
import { sources } from './sources.ts';

/*
 * Builds the site into a folder that does not exist yet: `node infra/publish/site/build.ts <folder>`.
 */

// Lower priority, so it does not slow down `npm start`.
setPriority(10);
const [folder = ''] = process.argv.slice(2);
const source = `${folder}-sources`;
for (const [path, content] of await sources(siteSettings())) {
  const file = join(source, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
process.env['SITE_SOURCES'] = source;
await build(fileURLToPath(new URL('.', import.meta.url)), {
  outDir: folder,
  onAfterConfigResolve: (config) => {
    // Concurrent builds would share the default folder.
    config.tempDir = join(source, '.temp');
  },
});
