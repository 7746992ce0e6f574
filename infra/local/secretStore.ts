import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A running secret store. `stop` ends it and what is connected to it. */
export interface SecretStore {
  endpoint: string;
  stop: () => Promise<void>;
}

/**
 * Answers `GetSecretValue` as AWS Secrets Manager does (its JSON 1.1 protocol), so that a laptop gets its secrets the way
 * that a deployed function does. `AWS_ENDPOINT_URL_SECRETS_MANAGER` points the SDK here.
 *
 * @param secrets The texts of the secrets, by their names.
 */
export async function startSecretStore(secrets: Record<string, string>): Promise<SecretStore> {
  const server = createServer(async (request, response) => {
    const { SecretId = '' } = JSON.parse((await text(request)) || '{}');
    const isAsked = request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const SecretString = isAsked && Object.hasOwn(secrets, SecretId) ? secrets[SecretId] : undefined;
    response.writeHead(SecretString === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify(
        SecretString === undefined ? { __type: 'ResourceNotFoundException' } : { Name: SecretId, SecretString },
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
