import { together } from '../support/together.ts';

together('{interface,functions/{lookup,members,other}/*,functions/*}.test.ts');
