import { Problem } from '../../lib/base/problem.ts';
import { Stop } from './stop.ts';
import { type PlaceKind, place } from './target.ts';

type Explanation = (place: string, error: Error) => string;

const noCredentials: Explanation = () =>
  'There are no valid AWS credentials: sign in, for example with "aws sso login", or name a profile in AWS_PROFILE.';

const unreachable: Explanation = (place, error) =>
  `Nothing answers for ${place} (${'code' in error ? error.code : error.name}).${place.includes('//127.') ? ' Is "npm start" running?' : ''}`;

const busy: Explanation = (place) => `Too much is going on at ${place}: try again later.`;

const unreadable: Explanation = (_, { message }) => `The file cannot be read: ${message}.`;

/** By an error's `code`, where the operating system gives one, or its name. */
const EXPLANATIONS: Record<string, Explanation> = {
  ResourceNotFoundException: (place) => `There is no ${place}.`,
  AccessDeniedException: (place, { message }) => `No access to ${place}: ${message}`,
  CredentialsProviderError: noCredentials,
  TokenProviderError: noCredentials,
  ExpiredTokenException: noCredentials,
  UnrecognizedClientException: noCredentials,
  InvalidSignatureException: noCredentials,
  // As AWS STS says it.
  ExpiredToken: noCredentials,
  InvalidClientTokenId: noCredentials,
  SignatureDoesNotMatch: noCredentials,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  TimeoutError: unreachable,
  Conflict: busy,
  ThrottlingException: busy,
  ProvisionedThroughputExceededException: busy,
  ENOENT: unreadable,
  EACCES: unreadable,
  EISDIR: unreadable,
};

/**
 * An error in one line for the operator.
 *
 * @param kind What was asked when it happened.
 */
export const explain = (error: Error, kind: PlaceKind = 'table'): string => oneLine(reasonOf(error, kind));

/** A text as one line, without an API key that somebody pasted in the wrong place. */
export const oneLine = (text: string): string =>
  text
    .replace(/apk_[\w-]+/g, 'apk_…')
    .replace(/\s+/g, ' ')
    .trim();

function reasonOf(error: Error & { code?: string }, kind: PlaceKind): string {
  if (error instanceof Stop) return error.message;
  if (error instanceof Problem) return error.errors?.map(({ detail }) => detail).join(' ') ?? error.message;
  const explanation = EXPLANATIONS[error.code ?? ''] ?? EXPLANATIONS[error.name];
  return explanation?.(place(kind), error) ?? `${error.name}: ${error.message}`;
}
