import { together } from '../support/together.ts';

together('lib/{operator,record}/!(renameAcquirer).test.ts');
