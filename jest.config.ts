import type { Config } from 'jest';

export default {
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }] },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  setupFiles: ['<rootDir>/test/support/environment.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/table.ts'],
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts'],
  coverageProvider: 'v8',
  testTimeout: 30_000,
} satisfies Config;
