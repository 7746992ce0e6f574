import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { explain } from '../../../../infra/operate/cli/explain.ts';
import { Stop } from '../../../../infra/operate/cli/stop.ts';
import { Conflict } from '../../../../lib/aws/retry.ts';
import { Problem, validationFailed } from '../../../../lib/base/problem.ts';

beforeAll(() => {
  delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    TABLE_NAME: 'acquirer-partner-api-prod',
  });
});

const TABLE = 'table acquirer-partner-api-prod in eu-central-1';
const NO_CREDENTIALS = 'No valid AWS credentials. Sign in, for example with "aws sso login", or set AWS_PROFILE.';

const named = (name: string, message = 'an internal', more: object = {}): Error =>
  Object.assign(new Error(message), { name, ...more });
const cancelled = (Code: string): Error =>
  new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons: [{ Code }] });
const fieldError = (detail: string) => ({ pointer: '', code: 'taken', detail });

describe('explains an error in one line:', () => {
  test.each<[Error, string]>([
    [new Stop('What to do.'), 'What to do.'],
    [new Problem('not_found', 'There is none.'), 'There is none.'],
    [validationFailed([fieldError('First.'), fieldError('Second.')]), 'First. Second.'],
    [named('ResourceNotFoundException'), `There is no ${TABLE}.`],
    [named('AccessDeniedException', 'Not\n authorized'), `No access to ${TABLE}: Not authorized`],
    [named('CredentialsProviderError'), NO_CREDENTIALS],
    [named('ExpiredTokenException'), NO_CREDENTIALS],
    [named('UnrecognizedClientException'), NO_CREDENTIALS],
    [named('InvalidClientTokenId'), NO_CREDENTIALS],
    [named('Error', '', { code: 'ENOTFOUND' }), `Cannot reach ${TABLE} (ENOTFOUND).`],
    [named('TimeoutError', ''), `Cannot reach ${TABLE} (TimeoutError).`],
    [new Conflict('another'), `Too many concurrent requests to ${TABLE}. Try again later.`],
    [cancelled('ThrottlingError'), `Too many concurrent requests to ${TABLE}. Try again later.`],
    [cancelled('ValidationError'), 'TransactionCanceledException: cancelled'],
    [named('ThrottlingException'), `Too many concurrent requests to ${TABLE}. Try again later.`],
    [named('Error', 'EACCES: f.csv', { code: 'EACCES' }), 'Cannot read the file: EACCES: f.csv.'],
    [new TypeError('x is\n  no function'), 'TypeError: x is no function'],
    [new TypeError('apk_abcdefgh is no function'), 'TypeError: apk_… is no function'],
  ])('%s', (error, line) => {
    expect(explain(error)).toBe(line);
  });
});
