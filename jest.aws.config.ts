import type { Config } from 'jest';
import config from './jest.config.ts';

/** What several callers at once may trip over, on a table that behaves as AWS's: see test/awsTable/setup.ts. */
export default {
  ...config,
  globalSetup: '<rootDir>/test/support/awsSetup.ts',
  testMatch: ['races/races', 'mirror/mirror', 'model/*', 'tenants/*'].map((files) => `<rootDir>/test/${files}.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
} satisfies Config;
