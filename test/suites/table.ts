import { together } from '../support/together.ts';

together('lib/table/!(units).test.ts');
