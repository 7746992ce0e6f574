import { together } from '../../support/together.ts';

together('browser/console/{keys,people,shell}.test.ts');
