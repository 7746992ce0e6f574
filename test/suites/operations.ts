import { together } from '../support/together.ts';

together('{interface,functions/{console,console/app,lookup,members,other}/*,functions/*}.test.ts');
