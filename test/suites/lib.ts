import { together } from '../support/together.ts';

together('lib/{acquirers,branches,events,people,platform,terminals}/*.test.ts');
