import { together } from '../support/together.ts';

together('lib/{acquirers,aws,branches,events,people,terminals}/*.test.ts');
