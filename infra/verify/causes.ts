import { ACCESS, INDEXES, isKind } from '../template/definitions.ts';

/** A log line of a function, parsed. Those of Lambda itself have other fields. */
export type LogLine = Record<string, unknown> & {
  request_id?: string;
  causes?: { name: string; message: string }[];
};

const DENIED = /not authorized to perform: (?:\w+:)?(\w+) on resource: (\S+?)(?: because|$)/;
const UNSET = /environment variable (\w+) is not set/;
const NO_INDEX = /specified index: ([\w-]+)/;

/** What a role grants an action on, in the words of infra/functions.yml. */
function grantedOn(name: string, action: string, arn: string): string {
  const index = INDEXES.find((each) => arn.endsWith(`/index/${each}`));
  if (index) return `the index ${index}`;
  const kinds = Object.entries(ACCESS[name] ?? {}).filter(
    ([kind, actions]) => isKind(kind) && actions.includes(action),
  );
  return kinds.length > 0 ? `items of ${kinds.map(([kind]) => kind).join(', ')}` : arn;
}

/** Names what a stage lacks, by the message of an error in the log of a function. */
function nameOf(operation: string, { name, message }: { name: string; message: string }): string {
  const [, action = '', arn = ''] = DENIED.exec(message) ?? [];
  if (action)
    return `the role of ${operation} denies ${action}, which it needs on ${grantedOn(operation, action, arn)} (${message})`;
  const [, variable] = UNSET.exec(message) ?? [];
  if (variable) return `${operation} lacks the environment variable ${variable}`;
  const [, index] = NO_INDEX.exec(message) ?? [];
  if (index) return `the table lacks the index ${index}`;
  return `${name}: ${message}`;
}

/** Errors of what a request does not wait long for, such as a lease of the rate limit. They say that something is slow. */
const SLOW = ['AbortError', 'TimeoutError'];

/** What API Gateway itself, `unknownRoute` or the page of the console responds if no route leads to an operation. */
const NO_ROUTE = /{"message":"Not Found"}|No such operation\.|has no text\/html for/;

/** Names the cause in a response that the operation itself has not sent. */
export const causesInResponse = (operation: string, response: string): string[] =>
  NO_ROUTE.test(response) ? [`no route leads to ${operation}`] : [];

/** Whether a line is Lambda's own about a function that crashed or timed out, rather than the function's about a request. */
export const isCrash = (line: LogLine): boolean =>
  line.request_id === undefined && line['message'] !== undefined && line['level'] === 'ERROR';

/**
 * Names the causes in a log line of a request.
 *
 * @param operation The function that had the request.
 */
export function causesIn(operation: string, line: LogLine): string[] {
  const causes = (line.causes ?? [])
    .filter(({ name }) => !SLOW.includes(name))
    .map((cause) => nameOf(operation, cause));
  if (isCrash(line)) causes.push(nameOf(operation, { name: 'crashed', message: JSON.stringify(line['message']) }));
  return [...new Set(causes)];
}
