import { together } from '../support/together.ts';

together('lib/operator/!(renameAcquirer).test.ts');
