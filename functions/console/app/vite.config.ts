import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

const RUNTIME = fileURLToPath(new URL('jsx.ts', import.meta.url));

/** Makes the elements of all components, those of packages included, with the console's JSX runtime. */
const texts: Plugin = {
  name: 'texts',
  enforce: 'pre',
  resolveId: (id, importer) => (id === 'react/jsx-runtime' && importer !== RUNTIME ? RUNTIME : undefined),
};

/**
 * openConsole.ts serves the page, so the entry is a script, and the page learns from the manifest what it loads first.
 */
export default {
  base: '/console/',
  plugins: [texts, react()],
  worker: { format: 'es' },
  build: {
    // The oldest with AbortSignal.any, Promise.withResolvers, Map.groupBy and light-dark().
    target: ['chrome123', 'firefox124', 'safari17.5'],
    // A slow machine is no fault of the build, in which every warning is one.
    rolldownOptions: { input: 'main.tsx', checks: { pluginTimings: false } },
    manifest: true,
    // The policy of the page has no `data:`.
    assetsInlineLimit: 0,
    // One style, and scripts that a browser finds by itself: nothing is inserted that would need the nonce.
    cssCodeSplit: false,
    modulePreload: false,
    // Tests count the bytes that are sent.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
} satisfies UserConfig;
