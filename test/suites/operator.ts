import { together } from '../support/together.ts';

together('lib/{operator,record}/*.test.ts');
