import type { Config } from 'jest';
import config from './jest.config.ts';

/** What calls the API from outside, by the contract alone; it starts a server of its own. */
export default {
  extensionsToTreatAsEsm: config.extensionsToTreatAsEsm,
  transform: config.transform,
  testMatch: ['<rootDir>/test/contract/outside.ts'],
  testTimeout: config.testTimeout,
} satisfies Config;
