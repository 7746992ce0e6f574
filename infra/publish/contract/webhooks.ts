import { EVENT_TYPES, type EventType } from '../../../lib/events/event.ts';
import { shownPageMeta } from '../../../lib/webhooks/webhook.ts';
import type { AnyExample } from './record.ts';
import { listOf, objectOf, ref, responseSchema, type Schema } from './schemas.ts';

/** When each type of event occurs. */
const OCCURS: Record<EventType, string> = {
  'branch.created': 'A branch was created, with its terminals.',
  'branch.updated': 'The name, area or city of a branch changed.',
  'branch.archived': 'A branch was archived, and its active terminals with it.',
  'branch.restored': 'A branch was restored, and the terminals that were archived with it.',
  'terminals.created': 'Terminals were created for a branch.',
  'terminal.updated': 'Fields of a terminal changed.',
  'terminal.archived': 'A terminal was archived.',
  'terminal.restored': 'A terminal was restored.',
  'terminal.reassigned': 'A terminal moved to another branch.',
  'terminal.deleted': 'A terminal was deleted.',
  'terminal.left': 'A terminal moved to a branch that is not accessible to you.',
  'terminal.joined': 'A terminal moved to you, from a branch that is not accessible to you.',
};

const header = (name: string, description: string, schema: Schema, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
  example,
});

/** The example of Standard Webhooks' specification. */
const HEADERS = [
  header(
    'webhook-id',
    'Id of the page. Attempts to deliver the same page share it.',
    { format: 'uuid', maxLength: 36 },
    '01956b3e-9f10-7a52-8d3c-6f0b1e7a2c94',
  ),
  header(
    'webhook-timestamp',
    'When the attempt began, in seconds since 1970. Reject what is older than five minutes.',
    { pattern: '^[0-9]+$', maxLength: 16 },
    '1795168800',
  ),
  header(
    'webhook-signature',
    'One signature for each secret that is valid, with spaces between them: `v1,` and the HMAC-SHA-256, in base64, of ' +
      '`webhook-id`, `webhook-timestamp` and the body as it was received, with dots between them. Accept the delivery if ' +
      'one of them is right.',
    { pattern: '^v1,[0-9A-Za-z+/]{43}=(?: v1,[0-9A-Za-z+/]{43}=)*$', maxLength: 255 },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const response = (description: string) => ({ description });

/**
 * What we send to the webhooks of partners (OpenAPI 3.1, `webhooks`).
 *
 * @param examples The recorded story, with a page of the feed.
 */
export function webhooksOf(examples: AnyExample[]) {
  const { body } = examples.find(({ operation, name }) => operation === 'listEvents' && name === 'success') ?? {};
  const page = { data: body?.data, meta: { next: body?.meta.next, missed_before: null } };
  const test = { data: [], meta: page.meta };
  const types = EVENT_TYPES.map((type) => `- \`${type}\`: ${OCCURS[type]}`);
  return {
    events: {
      post: {
        operationId: 'receiveEvents',
        tags: ['Webhooks'],
        summary: 'A page of events',
        description:
          'What a webhook receives: the next events of your feed, in its order, at most 100 and, unless one event is larger, ' +
          `64 KB. A test has none. Each type of event is delivered:\n\n${types.join('\n')}`,
        // The receiver verifies the signature.
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: objectOf({ data: listOf(ref('Event'), 100), meta: responseSchema(shownPageMeta) }),
              ...(body && { examples: { page: { value: page }, test: { value: test } } }),
            },
          },
        },
        responses: {
          '2XX': response('Delivered. The next page follows. The body of the response is ignored.'),
          410: response('The webhook is disabled at once.'),
          default: response(
            'A failure, also of a redirect: the page is tried again, after `Retry-After` seconds if they are at most an hour.',
          ),
        },
      },
    },
  };
}
