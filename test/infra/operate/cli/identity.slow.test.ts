import { userInfo } from 'node:os';
import { STSClient } from '@aws-sdk/client-sts';
import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { LOCAL_ENVIRONMENT } from '../../../../infra/stack/localEnvironment.ts';
import { createAcquirer } from '../../../../lib/acquirers/registry.ts';
import { storedBy } from '../../../support/stored.ts';
import { expectFailure, jsonOf, operator } from './operator.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/operator/alice';
const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';

const sts = jest.spyOn(STSClient.prototype as unknown as { send: () => Promise<object> }, 'send');
beforeAll(() => createAcquirer({ id: ID, type: 'DISTRIBUTOR', name: 'Northgate' }));
beforeEach(() => {
  sts.mockReset().mockResolvedValue({ Arn: ARN });
});

/** The options of a command as on a table in AWS. */
const TARGET = ['--table', process.env['TABLE_NAME'] as string, '--secret', LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET];

test('a change in AWS is recorded with the ARN of the IAM identity, which is determined once', async () => {
  const input = 'member_id,card_id,card_pseudo_token\nanna,c1,t\nanna,c2,t\n';
  expect(await operator(['members', 'import', '-', ...TARGET], { input })).toMatchObject({ exitCode: 0 });
  expect(sts).toHaveBeenCalledTimes(1);
  const [event] = await jsonOf('history', 'anna');
  expect(event).toMatchObject({ type: 'members.imported', by: ARN });
});

test('a change on this machine is recorded with its user name, without a request to AWS', async () => {
  await jsonOf('acquirers', 'limit', ID, '--rate', '5');
  const [event] = await jsonOf('history', ID);
  expect(event).toMatchObject({ type: 'acquirer.limited', by: userInfo().username });
  expect(sts).not.toHaveBeenCalled();
});

test.each([
  ['only reads', ['acquirers', 'list']],
  ['would change nothing', ['acquirers', 'enable', ID]],
  ['fails', ['keys', 'revoke', ID, '0123456789ab', '--yes']],
])('a command that %s does not determine the identity', async (_, args) => {
  const { changed } = await storedBy(() => operator([...args, ...TARGET]));
  expect(changed).toEqual({});
  expect(sts).not.toHaveBeenCalled();
});

const NO_CREDENTIALS = 'No valid AWS credentials. Sign in, for example with "aws sso login", or set AWS_PROFILE.';

test.each<[string, Error | object, string]>([
  ['the credentials have expired', Object.assign(new Error('an internal'), { name: 'ExpiredToken' }), NO_CREDENTIALS],
  ['the response has no ARN', {}, 'Error: The response has no ARN.'],
])('nothing is changed if %s', async (_, response, reason) => {
  sts.mockImplementation(async () => {
    if (response instanceof Error) throw response;
    return response;
  });
  const line = `Nothing was changed, because your identity could not be determined. ${reason}`;
  await expectFailure(['acquirers', 'rename', ID, 'Southgate', ...TARGET], line);
});
