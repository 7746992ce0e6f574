import { together } from '../../support/together.ts';

together('browser/console/{branch,branches,newBranch,scale}.test.ts');
