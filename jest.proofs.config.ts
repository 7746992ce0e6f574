import type { Config } from 'jest';
import config from './jest.config.ts';

/** What takes a while by its nature: every fault, every hostile input, random sequences of calls, every tenant's every try. */
export default {
  ...config,
  testMatch: config.testPathIgnorePatterns.slice(1).map((folder) => `${folder}**/*.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
} satisfies Config;
