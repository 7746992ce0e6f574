import { together } from '../support/together.ts';

together('functions/{branches,terminals,events,find}/*.test.ts');
