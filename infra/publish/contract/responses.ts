import { CATALOGUE, type ProblemCode } from '../../../lib/base/problem.ts';
import { extensibleEnumSchema } from '../../../lib/base/values.ts';
import type { Contract, DataSchema } from '../../../lib/http/contract.ts';
import type { AnyExample } from './record.ts';
import { listOf, objectOf, ref, responseSchema } from './schemas.ts';

/**
 * A part of recorded requests as examples by name, without duplicate values. Examples shared by all operations are
 * references.
 */
export function namedExamples(calls: AnyExample[], part: (call: AnyExample) => unknown) {
  const values = calls.map((call) => JSON.stringify(part(call)));
  const examples = calls.flatMap((call, at) =>
    values[at] === undefined || values.indexOf(values[at]) < at
      ? []
      : [[call.name, call.isGeneral ? { $ref: `#/components/examples/${call.name}` } : { value: part(call) }]],
  );
  return examples.length > 0 ? { examples: Object.fromEntries(examples) } : {};
}

const bodyOfExample = ({ body }: AnyExample) => body;

const headerRefs = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of every response to an acquirer. A 401, and a response to a person who acts as none, has only the first. */
const HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

const RETRYABLE: ProblemCode[] = ['server_error', 'rate_limited'];

const problemResponse = (status: number, examples: AnyExample[], all = HEADERS) => {
  const codes = [...new Set(examples.flatMap(({ code }) => code ?? []))];
  return {
    description: codes.map((code) => CATALOGUE[code][1]).join('; '),
    headers: headerRefs(
      ...all.slice(0, status === 401 ? 1 : undefined),
      ...(codes.some((code) => RETRYABLE.includes(code)) ? ['Retry-After'] : []),
      ...(codes.includes('precondition_failed') ? ['ETag'] : []),
    ),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [ref(status === 422 ? 'ValidationProblem' : 'Problem')],
          properties: { status: { const: status }, code: extensibleEnumSchema(codes) },
        },
        ...namedExamples(examples, bodyOfExample),
      },
    },
  };
};

/**
 * The 429: an acquirer exceeded its limit, or all callers together exceeded the limit of the gateway, which has its own
 * body.
 */
export function tooManyRequests(examples: AnyExample[]) {
  const { headers, content } = problemResponse(429, examples);
  const schema = objectOf({ message: { type: 'string', maxLength: 255 } });
  return {
    description:
      'Too many requests; nothing was executed. If the body is a problem, you exceeded your rate limit: retry after `Retry-After`. If it only has a `message`, all callers together exceeded the limit of the gateway: retry with exponential backoff.',
    headers,
    content: { ...content, 'application/json': { schema } },
  };
}

/** The schemas of one branch, terminal or webhook, which has an ETag. */
const WITH_ETAG = ['Branch', 'CreatedBranch', 'Terminal', 'FoundTerminal', 'Webhook', 'WebhookWithSecret'];

const schemaOf = (data: DataSchema) => {
  if (typeof data === 'string') return ref(data);
  return 'listOf' in data ? listOf(ref(data.listOf), data.most) : responseSchema(data);
};

/** What the responses of an operation depend on beside its contract. */
interface Options {
  examples: AnyExample[];
  isChange: boolean;
  isIdempotent: true | undefined;
  /** Whether the caller is an acquirer, or a person who acts as one. */
  isOfAcquirer: boolean;
}

export function responsesOf({ success }: Contract, { examples, isChange, isIdempotent, isOfAcquirer }: Options) {
  const { status, description, data, types, isPage, meta, hasLocation } = success;
  const warnings = {
    ...listOf({ oneOf: [ref('FieldWarning'), ref('ParameterWarning')] }, 101),
    description:
      'Unknown fields, and query parameters of a GET, which were ignored, and what the response may lack. Absent if there are none.',
  };
  const body = types
    ? {
        oneOf: Object.entries(types).map(([type, each]) =>
          objectOf({ data: ref(each), type: { type: 'string', const: type } }, { warnings }),
        ),
      }
    : objectOf(
        {
          data: schemaOf(data),
          ...(isPage && { links: ref('Links'), meta: ref('Meta') }),
          ...(meta && { meta: ref(meta) }),
        },
        { warnings },
      );
  const {
    [status]: successes = [],
    200: validated = [],
    ...problems
  } = Object.groupBy(examples, (each) => each.status);
  const shown = [data, ...Object.values(types ?? {})];
  const hasEtag = shown.some((each) => typeof each === 'string' && WITH_ETAG.includes(each));
  const content = (recorded: AnyExample[]) => ({
    content: { 'application/json': { schema: body, ...namedExamples(recorded, bodyOfExample) } },
  });
  const headers = HEADERS.slice(0, isOfAcquirer ? undefined : 1);
  const replayed = isIdempotent ? ['Idempotent-Replayed'] : [];
  return {
    [status]: {
      description,
      headers: headerRefs(...headers, ...(hasLocation ? ['Location'] : []), ...(hasEtag ? ['ETag'] : []), ...replayed),
      ...content(successes),
    },
    ...(isChange &&
      status !== 200 && {
        200: {
          description: 'With `validate_only=true`: the request is valid, and this is what it would return.',
          headers: headerRefs(...headers, ...replayed),
          ...content(validated),
        },
      }),
    ...Object.fromEntries(
      Object.entries(problems).map(([each, ofStatus = []]) => [each, problemResponse(Number(each), ofStatus, headers)]),
    ),
    429: { $ref: '#/components/responses/TooManyRequests' },
  };
}
