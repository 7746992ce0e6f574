import { isTransient } from '../../../lib/aws/retry.ts';
import { Problem } from '../../../lib/base/problem.ts';
import { type Remote, remote } from './connection.ts';
import { Stop } from './stop.ts';

type Explanation = (remote: string, error: Error) => string;

const throttled: Explanation = (remote) => `Too many concurrent requests to ${remote}. Try again later.`;

const unexpected: Explanation = (_, { name, message }) => `${name}: ${message}`;

/** By the error's `code`, if it is one of the operating system or of AWS STS, or by its name. */
const EXPLANATIONS: [explanation: Explanation, codes: string[]][] = [
  [(remote) => `There is no ${remote}.`, ['ResourceNotFoundException']],
  [(remote, { message }) => `No access to ${remote}: ${message}`, ['AccessDeniedException']],
  [
    () => 'No valid AWS credentials. Sign in, for example with "aws sso login", or set AWS_PROFILE.',
    [
      ...['CredentialsProviderError', 'TokenProviderError', 'ExpiredTokenException', 'UnrecognizedClientException'],
      ...['InvalidSignatureException', 'ExpiredToken', 'InvalidClientTokenId', 'SignatureDoesNotMatch'],
    ],
  ],
  [
    (remote, error) =>
      `Cannot reach ${remote} (${'code' in error ? error.code : error.name}).${remote.includes('//127.') ? ' Is "npm start" running?' : ''}`,
    [
      ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'],
      ...['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'TimeoutError'],
    ],
  ],
  [throttled, ['Conflict', 'ThrottlingException', 'ProvisionedThroughputExceededException']],
  [(remote, error) => (isTransient(error) ? throttled : unexpected)(remote, error), ['TransactionCanceledException']],
  [(_, { message }) => `Cannot read the file: ${message}.`, ['ENOENT', 'EACCES', 'EISDIR']],
];

/**
 * Describes an error in one line for the operator.
 *
 * @param kind The service that the failed request went to.
 */
export const explain = (error: Error, kind: Remote = 'table'): string => oneLine(reasonOf(error, kind));

/** Joins a text into one line and masks API keys, which somebody may have pasted in the wrong place. */
export const oneLine = (text: string): string =>
  text
    .replace(/apk_[\w-]+/g, 'apk_…')
    .replace(/\s+/g, ' ')
    .trim();

function reasonOf(error: Error & { code?: string }, kind: Remote): string {
  if (error instanceof Stop) return error.message;
  if (error instanceof Problem) return error.errors?.map(({ detail }) => detail).join(' ') ?? error.message;
  const find = (code = '') => EXPLANATIONS.find(([, codes]) => codes.includes(code))?.[0];
  return (find(error.code) ?? find(error.name) ?? unexpected)(remote(kind), error);
}
