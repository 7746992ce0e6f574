import { together } from '../support/together.ts';

together('lib/table/*.test.ts');
