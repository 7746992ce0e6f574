import type { Config } from 'jest';
import config from './jest.config.ts';

// The server that is tested starts its own engine.
const { globalSetup: _, globalTeardown: __, setupFilesAfterEnv: ___, ...rest } = config;

/** What needs a browser: Chromium, whose name or path is in `CHROMIUM`, by default `chromium`. */
export default {
  ...rest,
  testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
} satisfies Config;
