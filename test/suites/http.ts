import { together } from '../support/together.ts';

together('lib/http/*.test.ts');
