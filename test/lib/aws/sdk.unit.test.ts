import type { RequestListener } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, jest, test } from '@jest/globals';
import { serve } from '../../../infra/local/serve.ts';
import { inRequest } from '../../../lib/aws/requestContext.ts';
import { RetryStrategy } from '../../../lib/aws/retry.ts';
import { LIMITS, withinBudget } from '../../../lib/aws/sdk.ts';

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

const clientOf = (endpoint: string) => ({
  ...LIMITS,
  // Each has the retry quota of a process.
  retryStrategy: new RetryStrategy(),
  endpoint,
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
type Read = (endpoint: string, abortSignal?: AbortSignal) => Promise<unknown>;
const READS: Record<'DynamoDB' | 'Secrets Manager', Read> = {
  DynamoDB(endpoint, abortSignal) {
    const client = withinBudget(new DynamoDBClient(clientOf(endpoint)));
    const read = new GetItemCommand({ TableName: 'a', Key: { pk: { S: 'b' } } });
    return client.send(read, abortSignal && { abortSignal }).finally(() => client.destroy());
  },
  'Secrets Manager'(endpoint) {
    const client = withinBudget(new SecretsManagerClient(clientOf(endpoint)));
    return client.send(new GetSecretValueCommand({ SecretId: 'a' })).finally(() => client.destroy());
  },
};

/** How services fail. */
const FAILING: Record<string, RequestListener> = {
  'never responds': () => {},
  'stalls after the headers': (_, response) =>
    response.writeHead(200, { ...JSON_TYPE, 'content-length': 99 }).write('{'),
  'refuses connections': () => {},
  throttles: (_, response) => response.writeHead(400, JSON_TYPE).end('{"__type":"ThrottlingException"}'),
};

test('a budget ends each attempt, however a service fails, so that there is time for all retries', async () => {
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  const budget = { totalMs: 60_000, attemptMs: 20 };
  const sent = Object.entries(FAILING).map(async ([how, listener]) => {
    const { url, stop } = await serve(listener);
    if (how === 'refuses connections') await stop();
    const attempts = Object.entries(READS).map(async ([service, read]) => {
      const failure = await inRequest(() => read(url) as Promise<never>, budget).catch((error) => error);
      return [how, service, failure.$metadata.attempts];
    });
    const outcomes = await Promise.all(attempts);
    if (how !== 'refuses connections') await stop();
    return outcomes;
  });
  const outcomes = (await Promise.all(sent)).flat();
  random.mockRestore();
  // Without a budget, retries would end after the second attempt, 4 s later.
  expect(outcomes).toEqual(
    Object.keys(FAILING).flatMap((how) => Object.keys(READS).map((service) => [how, service, 7])),
  );
});

test('a budget that has ended sends nothing, and a caller can still end a request sooner', async () => {
  let requests = 0;
  const { url, stop } = await serve(() => {
    requests += 1;
  });
  const read = READS.DynamoDB;
  const timedOut = inRequest(() => read(url), { totalMs: 0, attemptMs: 80 });
  await expect(timedOut).rejects.toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 1 } });
  expect(requests).toBe(0);
  const aborted = inRequest(() => read(url, AbortSignal.timeout(50)), { totalMs: 60_000, attemptMs: 60_000 });
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  await stop();
});
