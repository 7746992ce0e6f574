import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { removeStage } from '../../../../infra/operate/deploy/removal.ts';
import { orderIn } from '../../../../infra/operate/deploy/stacks.ts';

/*
 * The removal of a stage, but for the work of serverless, in an account with some stacks.
 */

const API = 'acquirer-partner-api-dev';
const DATA = `${API}-data`;
const NOT_CHANGED = 'Nothing was changed.';
const REMOVES = `Removes ${API} and ${DATA}, and deletes the table, all its data and the card key`;

/** The stacks of the account, and whether each is protected. */
let stacks: Record<string, boolean>;
let removed: string[];
let printed: string[];
let aws: Served;

const before = { ...process.env };
beforeEach(async () => {
  stacks = { [API]: false, [DATA]: false };
  removed = [];
  printed = [];
  aws = await serve(async (request, response) => {
    const name = new URLSearchParams(await text(request)).get('StackName') ?? '';
    if (!(name in stacks))
      return void response
        .writeHead(400)
        .end(
          `<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack ${name} does not ` +
            `exist</Message></Error></ErrorResponse>`,
        );
    const protection = `<EnableTerminationProtection>${stacks[name]}</EnableTerminationProtection>`;
    const stack = `<member><StackName>${name}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>${protection}</member>`;
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
  });
  Object.assign(process.env, { AWS_ENDPOINT_URL: aws.url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
});
afterEach(async () => {
  process.env = { ...before };
  await aws.stop();
});

/** Removes dev. What is typed is the response on the terminal; without it, there is none. */
const remove = (args: string[], typed?: string, failing?: string): Promise<void> =>
  removeStage(['--stage', 'dev', ...args], {
    print: (line) => printed.push(line),
    ask: typed === undefined ? undefined : async () => typed,
    async remove(folder) {
      if (folder === failing) throw new Error(`serverless remove in ${folder} failed.`);
      removed.push(folder);
    },
  });

test.each([
  ['somebody types its name', [], 'dev'],
  ['--confirm names it where nobody can be asked', ['--confirm', 'dev'], undefined],
  ['--confirm names it on a terminal', ['--confirm=dev'], ''],
])('a stage is removed, its data last, if %s', async (_, args, typed) => {
  await remove(args, typed);
  expect(removed).toEqual(['.', 'infra/stack/data']);
  expect(printed).toEqual([
    `${REMOVES}.`,
    "Left behind: the stack acquirer-partner-api-access-dev with the policies, which people's roles may have. " +
      'docs/operations.md#remove-a-stage has the commands that remove it.',
  ]);
});

test.each([
  ['another name is typed', [], 'prod', `That is not dev. ${NOT_CHANGED}`],
  ['nothing is typed', [], '', `That is not dev. ${NOT_CHANGED}`],
  ['--confirm names another', ['--confirm', 'prod'], undefined, `That is not dev. ${NOT_CHANGED}`],
  ['nobody can be asked', [], undefined, `${REMOVES}. Nobody can be asked here: add "--confirm dev". ${NOT_CHANGED}`],
])('a stage stays if %s', async (_, args, typed, message) => {
  await expect(remove(args, typed)).rejects.toThrow(message);
  expect(removed).toEqual([]);
});

test.each([API, DATA])('a stage stays if %s is protected', async (stack) => {
  stacks[stack] = true;
  await expect(remove(['--confirm', 'dev'])).rejects.toThrow(
    `The stack ${stack} is protected. Set "protection: false" in the row of dev, deploy, and remove it then ` +
      `(docs/operations.md#remove-a-stage). ${NOT_CHANGED}`,
  );
  expect(removed).toEqual([]);
});

test('a removal that failed says which stacks are left, and goes on there when it is repeated', async () => {
  await expect(remove(['--confirm', 'dev'], undefined, 'infra/stack/data')).rejects.toThrow(
    `serverless remove in infra/stack/data failed.\n${DATA} was not removed. Left: ${DATA}. Mend what its events name`,
  );
  delete stacks[API];
  await remove(['--confirm', 'dev']);
  expect(removed).toEqual(['.', 'infra/stack/data']);
  delete stacks[DATA];
  await expect(remove(['--confirm', 'dev'])).rejects.toThrow(
    `Stage dev has no stacks in eu-central-1, in the account of these credentials. ${NOT_CHANGED}`,
  );
});

test('says what stays of a stage that keeps its data', async () => {
  stacks = { 'acquirer-partner-api-prod': false, 'acquirer-partner-api-prod-data': false };
  const args = ['--stage', 'prod', '--confirm', 'prod', '--param', 'table=acquirer-partner-api-prod-2'];
  await removeStage(args, { print: (line) => printed.push(line), ask: undefined, remove: async () => {} });
  expect(printed.at(-1)).toContain(
    '; the data of acquirer-partner-api-prod; the restored table acquirer-partner-api-prod-2. docs/',
  );
});

test('the package and the confirmation are not passed on', () => {
  expect(orderIn(['-s', 'dev', '--package=a', '--param', 'rate=1', '--confirm', 'dev', '-p', 'b', '--force'])).toEqual({
    stage: 'dev',
    given: ['rate=1'],
    folder: 'b',
    confirmed: 'dev',
    others: ['-s', 'dev', '--param', 'rate=1', '--force'],
  });
});
