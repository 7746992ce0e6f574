import { together } from '../support/together.ts';

together('lib/{acquirers,branches,events,platform,terminals}/*.test.ts');
