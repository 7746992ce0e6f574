import type { Config } from 'jest';
import config from './jest.config.ts';

/**
 * What takes a while by its nature: every fault, every hostile input, random sequences of calls, every tenant's every try, what
 * is packaged and served, and what the guides show.
 */
export default {
  ...config,
  testMatch: config.testPathIgnorePatterns.slice(1).flatMap((path) => [`${path}**/*.test.ts`, `${path}*.test.ts`]),
  testPathIgnorePatterns: ['/node_modules/'],
} satisfies Config;
