import type { Config } from 'jest';

/*
 * A test file is named after what it needs: `<subject>.test.ts` a table, `<subject>.unit.test.ts` none,
 * `<subject>.browser.test.ts` a browser. `.slow.` before that keeps it out of `npm test`, for `npm run test:slow`.
 * One file runs as all of them do: `npm run jest -- test/path/file.test.ts`.
 */

const shared = {
  // Keeps Jest from crawling node_modules.
  roots: ['functions', 'infra', 'lib', 'test'].map((folder) => `<rootDir>/${folder}`),
  extensionsToTreatAsEsm: ['.ts'],
  // The guides' program imports the client as partners do.
  moduleNameMapper: { '^acquirer-partner-api-client/apply$': '<rootDir>/docs/client/apply.ts' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } } },
    ],
  },
} satisfies Config;

export default {
  projects: [
    { ...shared, displayName: 'unit', testRegex: '\\.unit\\.test\\.ts$' },
    {
      ...shared,
      displayName: 'table',
      testRegex: '(?<!\\.(unit|browser))\\.test\\.ts$',
      // One engine per run, one table per file.
      globalSetup: '<rootDir>/test/support/globalSetup.ts',
      globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
      setupFiles: ['<rootDir>/test/support/environment.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/support/ownTable.ts'],
    },
    {
      ...shared,
      displayName: 'browser',
      testRegex: '\\.browser\\.test\\.ts$',
      globalSetup: '<rootDir>/test/support/globalSetup.ts',
      globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
      setupFiles: ['<rootDir>/test/support/environment.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/support/ownTable.ts'],
    },
  ],
  // Files with only types have no code to cover.
  collectCoverageFrom: [
    'functions/**/*.ts',
    // Tests in Chromium and proofs cover the browser's code.
    '!functions/console/app/**',
    '!**/*.d.ts',
    'lib/**/*.ts',
    '!lib/http/{contract,middleware}.ts',
    // Its proof, test/proofs/cardKeys, needs processes of their own and hours that pass.
    '!lib/operator/cardKeyRotation.ts',
  ],
  coverageThreshold: { global: { statements: 99, branches: 98 } },
  coverageProvider: 'v8',
  // Ends only what hangs: how long a test takes depends on the machine.
  testTimeout: 600_000,
  // Tests mostly wait for DynamoDB Local, so use all cores.
  maxWorkers: '100%',
} satisfies Config;
