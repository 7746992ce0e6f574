/** A log line of a function, parsed. Those of Lambda itself have other fields. */
export type LogLine = Record<string, unknown> & {
  request_id?: string;
  causes?: { name: string; message: string }[];
};

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
 * The causes in a log line of a request. The messages name what is missing: the action that a role denies and its
 * resource, an environment variable, or an index.
 */
export const causesIn = (operation: string, line: LogLine): string[] => [
  ...(line.causes ?? [])
    .filter(({ name }) => !SLOW.includes(name))
    .map(({ name, message }) => `${operation} had ${name}: ${message}`),
  ...(isCrash(line) ? [`${operation} crashed: ${JSON.stringify(line['message'])}`] : []),
];
