import { together } from '../../support/together.ts';

together('infra/operate/cli/**/*.test.ts');
