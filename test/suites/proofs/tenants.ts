import { together } from '../../support/together.ts';

together('proofs/{roles,search,tenants}/*.test.ts');
