import { PERSON_ROLES } from '../../../lib/acquirers/roles.ts';
import { uuidValue } from '../../../lib/base/values.ts';
import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { ACQUIRERS } from './calls.ts';
import { CONSOLE_STORY } from './consoleCalls.ts';
import { CONSOLE_OPERATIONS } from './invoke.ts';
import type { ContractDescription } from './openapi.ts';
import { CONSOLE_FIELD_ERRORS } from './problems.ts';
import { CONSOLE_REQUEST_FIELDS, CONSOLE_SCHEMAS, responseSchema } from './schemas.ts';

const DESCRIPTION = `Sign out, search the terminals and branches of an acquirer, read its events, and as an admin manage its API keys and its
people.

**Sign in** with a browser. \`GET /console/sign-in?return_to=/console/…\` redirects to the issuer (OpenID Connect), and the
issuer to \`GET /console/callback\`. That sets the cookie \`${SESSION_COOKIE}\` and redirects to \`return_to\`, a path of this
service. A link with \`invitation\` also accepts an invitation; \`again=true\` asks the issuer to authenticate the person anew.
Both are pages: if a sign-in fails, they say what to do.

**Every request** needs that cookie and the header \`Acting-As\`: the UUID of one of the person’s acquirers, or \`none\` for
\`/console/api/session\`. \`GET /console/api/session\` lists the acquirers. If the browser sends \`Sec-Fetch-Site\`, it must be
\`same-origin\`. A session ends after 8 hours, or after 30 minutes without use. API keys cannot call these operations.

**Operations of partners** (docs/openapi.json) accept the same cookie and header in place of \`API-KEY\`. A \`viewer\` can send
every GET; an \`operator\` can also create, update, archive, restore and reassign; an \`admin\` can do everything.

**Changes of API keys and people** need a sign-in within the last 15 minutes, else the response is a 403 \`sign_in_again\`:
open \`/console/sign-in?again=true\`, then repeat the request.

A 2xx body is \`{ "data": … }\`. Errors are problem details (RFC 9457) with a stable \`code\`. There are no 5xx: an unexpected
failure is a 400 with the code \`server_error\`, and has \`Retry-After\` if a retry can succeed. White space around a text is
trimmed. Unknown fields and query parameters are ignored; the response lists them in \`warnings\`. Later versions may add fields
to responses, and codes to errors and warnings.`;

/** The contract of the console, docs/console.openapi.json. */
export const CONSOLE: ContractDescription = {
  info: {
    title: 'Acquirer Partner Console API',
    summary: 'Sessions, search, activity, API keys and people of an acquirer.',
    description: DESCRIPTION,
  },
  tags: [
    { name: 'Session', description: 'The session of the person who is signed in.' },
    { name: 'Keys', description: 'API keys of the acquirer.' },
    { name: 'People', description: 'People of the acquirer, and invitations.' },
    { name: 'Find', description: 'Terminals and branches by one text.' },
    { name: 'Events', description: 'What happened to branches and terminals.' },
  ],
  operations: CONSOLE_OPERATIONS,
  story: CONSOLE_STORY,
  roles: PERSON_ROLES,
  rolesOf: 'people',
  security: [{ session: [] }],
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
  parametersOf: ({ needs }) => [needs ? 'Acting-As' : 'Acting-As-None'],
  general: {
    invalid_session: ({ needs }) => needs,
    // All people may read.
    insufficient_permission: ({ needs }) => needs && needs !== 'read',
    sign_in_again: ({ needs, method }) => needs === 'administer' && method !== 'GET',
    body_too_large: ({ body }) => body,
  },
  headers: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Location'],
  schemas: CONSOLE_SCHEMAS,
  requestFields: CONSOLE_REQUEST_FIELDS,
  fieldErrors: CONSOLE_FIELD_ERRORS,
};
