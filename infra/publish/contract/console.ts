import { PERSON_ROLES } from '../../../lib/acquirers/roles.ts';
import { uuidValue } from '../../../lib/base/values.ts';
import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { ACQUIRERS } from './calls.ts';
import { CONSOLE_STORY } from './consoleCalls.ts';
import { CONSOLE_OPERATIONS } from './invoke.ts';
import type { ContractDescription } from './openapi.ts';
import { CONSOLE_FIELD_ERRORS } from './problems.ts';
import { CONSOLE_REQUEST_FIELDS, CONSOLE_SCHEMAS, responseSchema } from './schemas.ts';

/**
 * The contract of the console, docs/console.openapi.json. It is not published: docs/decisions/0031-people-and-sessions.md says
 * how people sign in, and what every request needs.
 */
export const CONSOLE: ContractDescription = {
  info: {
    title: 'Acquirer Partner Console API',
    summary: 'Sessions, search, activity, last member checks, API keys and people of an acquirer.',
    description: 'For people who are signed in, in a browser.',
  },
  tags: [
    { name: 'Session', description: 'The session of the person who is signed in.' },
    { name: 'Keys', description: 'API keys of the acquirer.' },
    { name: 'People', description: 'People of the acquirer, and invitations.' },
    { name: 'Find', description: 'Terminals and branches by one text.' },
    { name: 'Events', description: 'What happened to branches and terminals.' },
    { name: 'Terminals', description: 'When terminals were last seen.' },
  ],
  operations: CONSOLE_OPERATIONS,
  story: CONSOLE_STORY,
  roles: PERSON_ROLES,
  rolesOf: 'people',
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION_COOKIE,
      description: 'The session of a person. The callback of a sign-in sets it, and no script can read it.',
    },
  },
  parameters: () => ({
    'Acting-As': {
      name: 'Acting-As',
      in: 'header',
      required: true,
      description: 'UUID of the acquirer as which the person acts. Pages of other origins cannot send it.',
      schema: responseSchema(uuidValue),
      example: ACQUIRERS.payfair.id,
    },
    'Acting-As-None': {
      name: 'Acting-As',
      in: 'header',
      required: true,
      description: 'The person acts as no acquirer. Pages of other origins cannot send it.',
      schema: { type: 'string', const: 'none' },
    },
  }),
  schemas: CONSOLE_SCHEMAS,
  requestFields: CONSOLE_REQUEST_FIELDS,
  fieldErrors: CONSOLE_FIELD_ERRORS,
};
