import type { Config } from 'jest';
import config from './jest.config.ts';

/**
 * What takes a while by its nature, and is in the way of nothing else: retries to the end of their time budget, and random
 * sequences of calls.
 */
export default {
  ...config,
  testMatch: config.testPathIgnorePatterns.slice(1).map((folder) => `${folder}**/*.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
} satisfies Config;
