import * as v from 'valibot';
import { DAY_MS } from '../base/eventId.ts';
import { mid, text } from '../base/fields.ts';
import { PROBLEM_CODES } from '../base/problem.ts';
import {
  boolean,
  extensibleEnum,
  field,
  listOf,
  positive,
  seconds,
  shownAs,
  shownNumber,
  shownText,
  time,
  uuidValue,
} from '../base/values.ts';

/** For how long refused requests are kept. */
export const KEPT_MS = 30 * DAY_MS;

/** The most field errors that are kept: with them, an item has less than 1 KB, so it costs two write units. */
export const MOST_ERRORS = 8;

/** A field error without its detail, which can contain what was sent. */
const fieldError = v.object({ pointer: v.string(), code: text });

/** The stored item of a refused request. It has nothing that was sent: no value, and no id that names nothing. */
export const refusedRequestItem = v.object({
  /** Its request id: the key of its index. */
  refused_request_id: text,
  at: time,
  key_id: v.optional(text),
  key_label: v.optional(text),
  person: v.optional(uuidValue),
  /** The name of its operation. Absent if there is none of its method and path. */
  operation: v.optional(text),
  /** The branch, terminal or webhook in its path, if its caller can access it. */
  mid: v.optional(mid),
  tid: v.optional(uuidValue),
  webhook: v.optional(uuidValue),
  status: v.pipe(v.number(), v.integer()),
  code: v.picklist(PROBLEM_CODES),
  errors: v.optional(v.pipe(v.array(fieldError), v.maxLength(MOST_ERRORS))),
  /** How many field errors it had beyond {@link MOST_ERRORS}. */
  more_errors: v.optional(positive),
  /** Whether it would have changed nothing. */
  validate_only: v.optional(v.literal(true)),
  duration_ms: v.pipe(v.number(), v.integer(), v.minValue(0)),
  weight: positive,
  /** 1, or at least how many requests the rate limit refused: see keep.ts. */
  times: positive,
  ttl: seconds,
});
export type RefusedRequest = v.InferOutput<typeof refusedRequestItem>;

export const shownRefusedRequest = v.object({
  request_id: field(shownText, 'The `X-Request-Id` of its response.'),
  at: field(time, 'When it was refused, or when the window of the rate limit began that refused it (RFC 3339, UTC).'),
  operation: field(
    v.nullable(shownText),
    'The operation, such as `createTerminals`; `null` if none has its method and path. Of several requests over the ' +
      'rate limit, that of the first.',
  ),
  mid: field(v.nullable(shownText), 'The branch in its path, if it is accessible to you.'),
  tid: field(v.nullable(uuidValue), 'The terminal in its path, if it is accessible to you.'),
  webhook: field(v.nullable(uuidValue), 'The webhook in its path, if it is yours.'),
  status: field(shownNumber(400, 499), 'The HTTP status of the response.'),
  code: field(extensibleEnum(...PROBLEM_CODES), 'The `code` of the problem.'),
  errors: field(
    listOf(v.object({ pointer: shownText, code: shownText }), MOST_ERRORS),
    'The first field errors: where in the body, and the code.',
  ),
  more_errors: field(shownNumber(0, 1_000_000), 'How many more field errors there were.'),
  validate_only: field(boolean, 'Whether it only validated a change.'),
  key_id: field(v.nullable(shownText), 'The API key that sent it; `null` for a person.'),
  key_label: field(v.nullable(shownText), 'The label that the key had.'),
  person: field(
    v.nullable(v.object({ id: uuidValue, name: v.nullable(shownText) })),
    'The person who sent it with the console; without a name if they were erased.',
  ),
  duration_ms: field(shownNumber(0, 60_000), 'How long it took until it was refused, in milliseconds.'),
  weight: field(shownNumber(0, 1_000_000), 'What it weighed on your rate limit. A 429 took nothing of it, and has 1.'),
  times: field(
    shownNumber(1, 1_000_000_000),
    'At least how many such requests there were: of those that exceed the rate limit, the first of each key and window is kept.',
  ),
});
export type ShownRefusedRequest = v.InferOutput<typeof shownRefusedRequest>;

/** Converts a refused request for a response, with the names of people by their ids. */
export const toRefusedRequest = (
  { refused_request_id, person, errors = [], more_errors = 0, validate_only, ...request }: RefusedRequest,
  names: Map<string, string>,
): ShownRefusedRequest =>
  shownAs(shownRefusedRequest, {
    ...request,
    request_id: refused_request_id,
    errors,
    more_errors,
    validate_only: validate_only ?? false,
    person: person ? { id: person, name: names.get(person) ?? null } : null,
  });
