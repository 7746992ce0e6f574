import { together } from '../../support/together.ts';

together('proofs/{consoleImport,hostile,leaks,validation}/*.test.ts');
