import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { startIssuer } from '../../../../infra/local/issuer.ts';
import { putSecretText } from '../../../../infra/operate/cli/selfCheckKey.ts';
import type { LogLine, Logs } from '../../../../infra/operate/verify/logs.ts';
import { LOCAL_ENVIRONMENT } from '../../../../infra/stack/localEnvironment.ts';
import { ROUTES, sourceOf } from '../../../../infra/stack/template/definitions.ts';
import { referenceCache } from '../../../../lib/acquirers/reference.ts';
import { table } from '../../../../lib/table/client.ts';
import { type Input, type Need, needsOf } from '../../../support/access.ts';
import { serveRoutes } from '../../../support/overHttp.ts';

/** What a stage lacks, or what is wrong with it. */
export interface Mutation {
  /** The function that is affected. */
  name?: string;
  hasNoRoute?: true;
  denied?: Need;
  variable?: string;
  index?: string;
  /** Changes the text of its responses. */
  body?: (text: string) => string;
}

/** A running stage: the handlers behind the routes of infra/stack/functions.yml. */
export interface Stage {
  baseUrl: string;
  logs: Logs;
  /** The needs of requests to the table that no handler has made, but this process. */
  needs: Record<string, Set<string>>;
  mutate: (mutations: Mutation[]) => void;
  stop: () => Promise<void>;
}

/** Starts a stage with a console in this process, on its table. */
export async function startStage(): Promise<Stage> {
  const current = new AsyncLocalStorage<string>();
  const logs = new Map<string | undefined, LogLine[]>();
  const needs: Stage['needs'] = {};
  let mutations: Mutation[] = [];
  /** What is wrong with the function that runs now, or with all. */
  const wrong = (name = current.getStore()) => mutations.filter((each) => !each.name || each.name === name);
  const log = (line: LogLine) => logs.set(current.getStore(), [...(logs.get(current.getStore()) ?? []), line]);
  process.env['LOG_LEVEL'] = 'INFO';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    log(JSON.parse(String(text)));
    return true;
  });

  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const input = args.input as Input;
        const own = needsOf(commandName.replace('Command', ''), input);
        const name = current.getStore();
        if (name === undefined)
          for (const { action, resource } of own) {
            needs[resource] ??= new Set();
            needs[resource].add(action);
          }
        for (const { denied, index } of name ? wrong() : []) {
          if (own.some(({ action, resource }) => action === denied?.action && resource === denied.resource))
            throw awsError(
              'AccessDeniedException',
              `User: arn:aws:sts::123456789012:assumed-role/x/x is not authorized to perform: ` +
                `dynamodb:${denied?.action} on resource: arn:aws:dynamodb:eu-central-1:123456789012:table/x because no ` +
                `identity-based policy allows the action`,
            );
          if (index && input.IndexName === index)
            throw awsError('ValidationException', `The table does not have the specified index: ${index}`);
        }
        return next(args);
      },
    { step: 'initialize', name: 'mutation' },
  );

  const routes = () =>
    Object.fromEntries(Object.entries(ROUTES).filter(([, name]) => !wrong(name).some(({ hasNoRoute }) => hasNoRoute)));

  const api = await serveRoutes(routes, (name, event) =>
    current.run(name, async () => {
      const awsRequestId = randomUUID();
      const [{ variable = '', body = (text: string) => text } = {}] = wrong();
      const value = process.env[variable];
      delete process.env[variable];
      // As in a process of its own.
      referenceCache.clear();
      try {
        const { handler } = await import(`../../../../${sourceOf(name)}`);
        const response = await handler(event, { awsRequestId, functionName: name } as Context);
        return { ...response, body: body(response.body ?? '') };
      } catch (error) {
        // Lambda's own line, in its JSON format.
        const { name: errorType, message: errorMessage } = error as Error;
        log({ level: 'ERROR', requestId: awsRequestId, message: { errorType, errorMessage } });
        return undefined;
      } finally {
        if (variable) process.env[variable] = value;
      }
    }),
  );
  const clientSecret = randomUUID();
  await putSecretText(LOCAL_ENVIRONMENT.CLIENT_CREDENTIAL_SECRET, clientSecret);
  await putSecretText(LOCAL_ENVIRONMENT.SEALING_KEY_SECRET, randomUUID());
  const issuer = await startIssuer({
    port: 0,
    redirectUri: `${api.url}/console/callback`,
    clientId: LOCAL_ENVIRONMENT.CLIENT_ID,
    clientSecret,
    people: [],
  });
  Object.assign(process.env, { BASE_URL: api.url, ISSUER: issuer.issuer, STAGE: 'test' });
  return {
    baseUrl: api.url,
    logs: { linesOf: async (name) => logs.get(name) ?? [] },
    needs,
    mutate: (next) => {
      mutations = next;
      logs.clear();
    },
    stop: async () => {
      write.mockRestore();
      await issuer.stop();
      await api.stop();
    },
  };
}

const awsError = (name: string, message: string): Error => Object.assign(new Error(message), { name });
