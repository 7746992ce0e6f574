import { together } from '../../support/together.ts';

together('browser/console/{import,importPauses,help,search}.test.ts');
