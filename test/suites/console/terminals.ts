import { together } from '../../support/together.ts';

together('browser/console/{activity,failures,terminal}.test.ts');
