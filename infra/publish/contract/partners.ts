import { KEY_ROLES } from '../../../lib/acquirers/roles.ts';
import { OPERATIONS } from '../../stack/template/definitions.ts';
import { STORY } from './calls.ts';
import type { AnyOperation } from './invoke.ts';
import type { ContractDescription } from './openapi.ts';
import { FIELD_ERRORS } from './problems.ts';
import { REQUEST_FIELDS, SCHEMAS } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

const DESCRIPTION = `Manage merchant branches (MID) and their payment terminals (TID), look up reference data, and check loyalty
members. Every request needs the header \`API-KEY\`. A 2xx body is \`{ "data": … }\`; lists add \`links\` and \`meta\`. Errors are
problem details (RFC 9457) with a stable \`code\`. There are no 5xx: an unexpected failure is a 400 with the code
\`server_error\`, and has \`Retry-After\` if a retry can succeed.

- White space around a text is trimmed. A blank text is \`null\` if the field is optional, and missing if it is required.
- A text must not contain control characters except tabs and line breaks, unpaired surrogates, noncharacters or U+FFFD (422
  \`invalid_format\`), nor a payment card number (422 \`card_number\`) or an API key (422 \`api_key\`) if it is stored.
- Stored texts are converted to Unicode's NFC, and spaces of any kind in a \`phone\` to single spaces. Invisible characters are
  dropped from codes, numbers and addresses. An \`email\` may have letters of any script, but no spaces of any kind and no joiners.
- A body must not be compressed, nor have a key \`__proto__\`, nor a key twice in one object. Unknown fields are ignored, and so are
  unknown query parameters of a GET; the response lists them in \`warnings\`. With other methods, an unknown query parameter is a 400
  \`invalid_query\`, and a field that means \`validate_only\` a 422 \`unknown_field\`, so that no misspelled check makes a change.

Later versions may add fields to responses, and codes to errors and warnings: ignore those that you do not know.
\`x-extensible-enum\` lists the codes of this version.

Lengths and patterns describe a text without the white space around it, and a code without invisible characters. Patterns use only the syntax that ECMAScript, Go,
Java, .NET, Python and Rust have in common. Formats are annotations.`;

const WEBHOOKS = `A webhook delivers the feed of events to your server: complete, in order, and without polling.

- **What arrives.** A POST with a page of the feed, \`{ "data": [events], "meta": { "next", "missed_before" } }\`: the events are those of
  \`GET /ext/api/v1/events\`. Each event of your acquirer is in it, whatever its type; there is no filter.
- **What you do.** Verify the signature, apply the events, respond with a 2xx within ten seconds. A page can arrive twice: drop an event
  whose \`id\` you have.
- **When you fail.** Any other response, or none, holds the page: it is tried again, after 5 s, 30 s, 2, 10 and 30 minutes, then hourly.
  Nothing overtakes it, and nothing is lost. After three days the webhook is disabled, and with a 410 at once; set \`status\` to
  \`active\`, and it goes on where it was.
- **Signatures** are those of [Standard Webhooks](https://www.standardwebhooks.com), for which there are libraries. The secret is shown
  once, when you create the webhook or rotate its secret.`;

/** The contract of partners, docs/openapi.json. */
export const PARTNERS: ContractDescription = {
  info: {
    title: 'Acquirer Partner API',
    summary: 'Merchant branches, payment terminals, reference data and member checks, for acquirers.',
    description: DESCRIPTION,
  },
  tags: [
    { name: 'Branches', description: 'Merchant branches, each identified by its MID.' },
    { name: 'Terminals', description: 'Payment terminals of branches, each identified by its TID.' },
    { name: 'Find', description: 'Find a resource by an identifier.' },
    { name: 'Events', description: 'A feed of all changes of branches and terminals, and their histories.' },
    {
      name: 'Webhooks',
      description: WEBHOOKS,
    },
    { name: 'Refused requests', description: 'What was refused in the last 30 days, and why.' },
    { name: 'Reference data', description: 'Values for the fields of branches and terminals.' },
    { name: 'Caller', description: 'Who you are, and what your API key may do.' },
    { name: 'Members', description: 'Loyalty members and their rewards.' },
  ],
  operations: Object.keys(OPERATIONS) as AnyOperation[],
  story: STORY,
  roles: KEY_ROLES,
  rolesOf: 'API keys',
  securitySchemes: {
    'API-KEY': {
      type: 'apiKey',
      in: 'header',
      name: 'API-KEY',
      description: 'Your API key, which identifies you. Keep it on your servers, never in client code.',
    },
  },
  parameters: (example) => ({
    'Idempotency-Key': {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.',
      schema: { type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: 255 },
      example: example('idempotency-key'),
    },
    'If-Match': {
      name: 'If-Match',
      in: 'header',
      description:
        'The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.',
      schema: { type: 'string', maxLength: 255 },
      example: example('if-match'),
    },
  }),
  schemas: SCHEMAS,
  webhooks: webhooksOf,
  requestFields: REQUEST_FIELDS,
  fieldErrors: FIELD_ERRORS,
};
