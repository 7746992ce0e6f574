import { Problem } from '../../lib/base/problem.ts';
import { isTransient } from '../../lib/table/retry.ts';
import { Stop } from './stop.ts';
import { type PlaceKind, place } from './target.ts';

type Explanation = (place: string, error: Error) => string;

const noCredentials: Explanation = () =>
  'No valid AWS credentials. Sign in, for example with "aws sso login", or set AWS_PROFILE.';

const unreachable: Explanation = (place, error) =>
  `Cannot reach ${place} (${'code' in error ? error.code : error.name}).${place.includes('//127.') ? ' Is "npm start" running?' : ''}`;

const throttled: Explanation = (place) => `Too many concurrent requests to ${place}. Try again later.`;

const unexpected: Explanation = (_, { name, message }) => `${name}: ${message}`;

const unreadable: Explanation = (_, { message }) => `Cannot read the file: ${message}.`;

/** By the error's `code`, if it is one of the operating system, or by its name. */
const EXPLANATIONS: Record<string, Explanation> = {
  ResourceNotFoundException: (place) => `There is no ${place}.`,
  AccessDeniedException: (place, { message }) => `No access to ${place}: ${message}`,
  CredentialsProviderError: noCredentials,
  TokenProviderError: noCredentials,
  ExpiredTokenException: noCredentials,
  UnrecognizedClientException: noCredentials,
  InvalidSignatureException: noCredentials,
  // Codes of AWS STS.
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
  Conflict: throttled,
  TransactionCanceledException: (place, error) => (isTransient(error) ? throttled : unexpected)(place, error),
  ThrottlingException: throttled,
  ProvisionedThroughputExceededException: throttled,
  ENOENT: unreadable,
  EACCES: unreadable,
  EISDIR: unreadable,
};

/**
 * Describes an error in one line for the operator.
 *
 * @param kind The service that the failed request went to.
 */
export const explain = (error: Error, kind: PlaceKind = 'table'): string => oneLine(reasonOf(error, kind));

/** Joins a text into one line and masks API keys, which somebody may have pasted in the wrong place. */
export const oneLine = (text: string): string =>
  text
    .replace(/apk_[\w-]+/g, 'apk_…')
    .replace(/\s+/g, ' ')
    .trim();

function reasonOf(error: Error & { code?: string }, kind: PlaceKind): string {
  if (error instanceof Stop) return error.message;
  if (error instanceof Problem) return error.errors?.map(({ detail }) => detail).join(' ') ?? error.message;
  const explanation = EXPLANATIONS[error.code ?? ''] ?? EXPLANATIONS[error.name] ?? unexpected;
  return explanation(place(kind), error);
}
