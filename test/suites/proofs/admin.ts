import { together } from '../../support/together.ts';

together('infra/admin/**/*.test.ts');
