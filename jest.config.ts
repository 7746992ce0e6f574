import type { Config } from 'jest';

const shared = {
  // Keeps Jest from crawling node_modules.
  roots: ['functions', 'infra', 'lib', 'test'].map((folder) => `<rootDir>/${folder}`),
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } } },
    ],
  },
} satisfies Config;

/** Tests that need DynamoDB Local: one engine per run, one table per file. */
const withTable = {
  ...shared,
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/ownTable.ts'],
} satisfies Config;

const PROOFS = ['test/awsTable/', 'test/bench/main', 'test/docs/', 'test/infra/', 'test/packaged/', 'test/proofs/'].map(
  (path) => `<rootDir>/${path}`,
);

/** What partners read of the contract: the description, its examples, and the typed client. */
const CONTRACT = [
  'client',
  'console',
  'examples',
  'fields',
  'generated',
  'generators',
  'openapi',
  'patterns',
  'published',
].map((file) => `<rootDir>/test/infra/contract/${file}`);

/** The folders of proofs whose files run together (test/suites/proofs/), but for those that need a process of their own. */
const TOGETHER =
  '/test/(infra/operate/cli|proofs/(consoleImport|hostile|leaks|roles|search|tenants|validation))/.*(?<!\\.alone)\\.test\\.ts$';

/** Runs in the project `aws` alone: lagging indexes only make it stricter. */
const ONLY_LIKE_AWS = ['<rootDir>/test/proofs/mirror/mirror'];

/** Whether all tests run, then together (test/support/together.ts), and not only those of a path or that changed. */
const isAll = !process.argv.some((argument) => argument.startsWith('test/') || argument.startsWith('--watch'));

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.unit.test.ts'],
    },
    {
      ...withTable,
      displayName: 'suite',
      testMatch: isAll
        ? ['<rootDir>/test/suites/*.ts', '<rootDir>/test/**/*.alone.test.ts']
        : ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [...PROOFS, '<rootDir>/test/browser/', '\\.unit\\.test\\.ts$'],
    },
    {
      ...withTable,
      displayName: 'proofs',
      testMatch: [
        ...PROOFS.map((path) => `${path}**`).flatMap((path) => [`${path}/*.test.ts`, `${path}.test.ts`]),
        ...(isAll ? ['<rootDir>/test/suites/proofs/*.ts'] : []),
      ],
      testPathIgnorePatterns: [
        ...[...CONTRACT, ...ONLY_LIKE_AWS, '\\.unit\\.test\\.ts$'],
        ...(isAll ? [TOGETHER] : []),
      ],
    },
    {
      ...withTable,
      displayName: 'aws',
      globalSetup: '<rootDir>/test/awsTable/setup.ts',
      testMatch: ['races/races', 'mirror/mirror', 'model/model', 'tenants/partners'].map(
        (files) => `<rootDir>/test/proofs/${files}.test.ts`,
      ),
    },
    {
      ...withTable,
      displayName: 'contract',
      testMatch: CONTRACT.map((path) => `${path}*.test.ts`),
    },
    {
      ...shared,
      displayName: 'browser',
      setupFiles: withTable.setupFiles,
      testMatch: ['<rootDir>/test/browser/*.test.ts'],
    },
    {
      ...withTable,
      displayName: 'console',
      testMatch: [isAll ? '<rootDir>/test/suites/console/*.ts' : '<rootDir>/test/browser/console/*.test.ts'],
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
    '!lib/base/paging.ts',
    // Its proof, test/proofs/cardKeys, needs processes of their own and hours that pass.
    '!lib/operator/cardKeys.ts',
  ],
  coverageThreshold: { global: { statements: 99, branches: 98 } },
  coverageProvider: 'v8',
  // Ends only what hangs: how long a test takes depends on the machine.
  testTimeout: 600_000,
  // Tests mostly wait for DynamoDB Local, so use all cores.
  maxWorkers: '100%',
} satisfies Config;
