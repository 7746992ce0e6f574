import type { Config } from 'jest';

/** What takes a while by its nature. */
const PROOFS = [
  ...['infra/contract/requests', 'docs/', 'faults/', 'hostile/', 'leaks/', 'lists/', 'mirror/', 'model/', 'tenants/'],
  // They start processes, package every stage, or run a table of their own.
  ...['test/bench/main', 'infra/admin/program', 'infra/artifacts', 'infra/bundling', 'infra/local', 'infra/roles'],
  ...['infra/template', 'infra/vulnerabilities', 'support/awsTable'],
].map((path) => `<rootDir>/test/${path}`);

export default {
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }] },
  // What needs a browser is for `npm run test:browser`.
  testMatch: ['<rootDir>/test/**/*.test.ts', '!**/test/browser/**'],
  // Those are for `npm run prove`: see jest.proofs.config.ts.
  testPathIgnorePatterns: ['/node_modules/', ...PROOFS],
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/table.ts'],
  // Types alone leave nothing to run.
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts', '!lib/http/middleware.ts', '!lib/paging.ts'],
  coverageThreshold: { global: { statements: 99, branches: 98 } },
  // The tests mostly wait for DynamoDB Local, so no core is kept back.
  maxWorkers: '100%',
  coverageProvider: 'v8',
  testTimeout: 30_000,
} satisfies Config;
