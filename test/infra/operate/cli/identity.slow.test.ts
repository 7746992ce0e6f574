import { userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { serve } from '../../../../infra/local/serve.ts';
import { LOCAL_ENVIRONMENT } from '../../../../infra/stack/localEnvironment.ts';
import { createAcquirer } from '../../../../lib/acquirers/registry.ts';
import { storedBy } from '../../../support/stored.ts';
import { expectFailure, jsonOf, operator } from './operator.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/operator/alice';
const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';

/** The status and body that AWS STS responds with, and the actions it was called with. */
let response: [status: number, body: string];
let actions: string[];
const result = (content: string) => `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult>${content}</GetCallerIdentityResult></GetCallerIdentityResponse>`;
const failure = (code: string) => `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>an internal</Message></Error></ErrorResponse>`;

let sts: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  sts = await serve(async (request, outgoing) => {
    actions.push(new URLSearchParams(await text(request)).get('Action') ?? '');
    outgoing.writeHead(response[0], { 'content-type': 'text/xml' }).end(response[1]);
  });
  process.env['AWS_ENDPOINT_URL_STS'] = sts.url;
  await createAcquirer({ id: ID, type: 'DISTRIBUTOR', name: 'Northgate' });
});
afterAll(async () => {
  delete process.env['AWS_ENDPOINT_URL_STS'];
  await sts.stop();
});
beforeEach(() => {
  actions = [];
  response = [200, result(`<Arn>${ARN}</Arn>`)];
});

/** The options of a command as on a table in AWS. */
const TARGET = ['--table', process.env['TABLE_NAME'] as string, '--secret', LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET];

test('a change in AWS is recorded with the ARN of the IAM identity, which is determined once', async () => {
  const input = [1, 2].map((card) => `{"member_id":"anna","card_id":"c${card}","card_pseudo_token":"t"}`).join('\n');
  const args = ['members', 'import', '-', '--format', 'jsonl', ...TARGET];
  expect(await operator(args, { input })).toMatchObject({ exitCode: 0 });
  expect(actions).toEqual(['GetCallerIdentity']);
  const [event] = await jsonOf('history', 'anna');
  expect(event).toMatchObject({ type: 'members.imported', by: ARN });
});

test('a change on this machine is recorded with its user name, without a request to AWS', async () => {
  await jsonOf('acquirers', 'limit', ID, '--rate', '5');
  const [event] = await jsonOf('history', ID);
  expect(event).toMatchObject({ type: 'acquirer.limited', by: userInfo().username });
  expect(actions).toEqual([]);
});

test.each([
  ['only reads', ['acquirers', 'list']],
  ['would change nothing', ['acquirers', 'enable', ID]],
  ['fails', ['keys', 'revoke', ID, '0123456789ab', '--yes']],
])('a command that %s does not determine the identity', async (_, args) => {
  const { changed } = await storedBy(() => operator([...args, ...TARGET]));
  expect([changed, actions]).toEqual([{}, []]);
});

const NO_CREDENTIALS = 'No valid AWS credentials. Sign in, for example with "aws sso login", or set AWS_PROFILE.';

test.each<[string, typeof response, string]>([
  ['the credentials have expired', [403, failure('ExpiredToken')], NO_CREDENTIALS],
  ['the credentials are invalid', [403, failure('InvalidClientTokenId')], NO_CREDENTIALS],
  ['the response has no ARN', [200, result('')], 'Error: The response has no ARN.'],
])('nothing is changed if %s', async (_, sent, reason) => {
  response = sent;
  const line = `Nothing was changed, because your identity could not be determined. ${reason}`;
  await expectFailure(['acquirers', 'rename', ID, 'Southgate', ...TARGET], line);
});
