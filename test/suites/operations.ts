import { together } from '../support/together.ts';

together('{interface,functions/{console,lookup,members,other}/*,functions/*}.test.ts');
