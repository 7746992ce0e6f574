import { setTimeout as sleep } from 'node:timers/promises';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Connection } from '../base/config.ts';
import { requestContext } from './requestContext.ts';
import { LIMITS, withinBudget } from './sdk.ts';

let client = open({});

/** Reads secrets in another place than the environment says, for programs that learn it at run time. */
export function connectSecrets(connection: Connection): void {
  client = open(connection);
}

function open(connection: Connection): SecretsManagerClient {
  const opened = withinBudget(new SecretsManagerClient({ ...LIMITS, ...connection }));
  opened.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { headers: Record<string, string> };
      const { $metadata } = result.output as { $metadata: Dated };
      if (headers['date']) $metadata.date = headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'date' },
  );
  return opened;
}

/** Metadata of a response, with its header `Date`. */
type Dated = { date?: string };

async function fetchVersion(SecretId: string, VersionStage?: 'AWSPREVIOUS') {
  const { SecretString, VersionId, CreatedDate, $metadata } = await client.send(
    new GetSecretValueCommand({ SecretId, ...(VersionStage && { VersionStage }) }),
  );
  if (!SecretString) throw new Error('The secret has no text.');
  const elapsed = stopwatch();
  // By the service's clock alone: ours may differ. NaN if a time is missing, which is not older than anything.
  const date = Date.parse(($metadata as Dated | undefined)?.date ?? '');
  const now = () => date + elapsed();
  const age = () => now() - (CreatedDate?.getTime() ?? Number.NaN);
  return { text: SecretString, id: VersionId ?? '', elapsed, now, age };
}

/**
 * Measures milliseconds, the longer time by the monotonic and the wall clock: the first may stand still while Lambda
 * freezes the process, and the second may be set back.
 */
function stopwatch(): () => number {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
}

/** How long a process uses a text before it fetches the current one again, in milliseconds. */
export const KNOWN_MS = 3_600_000;

/** How long a version may be used after that, while the current one cannot be fetched quickly, in milliseconds. */
export const GRACE_MS = 5 * 60_000;

/** How often a process fetches a secret after a failure, or because a text was not accepted, in milliseconds. */
const REFRESH_MS = 60_000;

/** How long a process waits within {@link GRACE_MS} for a secret of which it knows a version, in milliseconds. */
const WAIT_MS = 300;

export interface SecretVersion {
  text: string;
  id: string;
  /** The time by the clock of AWS, in milliseconds since 1970. */
  now: () => number;
  /** How old this version is by that clock, in milliseconds. */
  age: () => number;
}

export interface ChangingSecret {
  /**
   * The version that was current at most {@link KNOWN_MS} ago. If it cannot be fetched again, the known one stays in
   * use, and another attempt follows a minute later. Within {@link GRACE_MS}, a slow response is enough for that.
   * Later, as in a process that was idle, only a failure is.
   */
  known: () => Promise<SecretVersion>;
  fetched: () => Promise<SecretVersion>;
}

/**
 * A secret in AWS Secrets Manager that may change. Concurrent fetches of a process are one.
 * `AWS_ENDPOINT_URL_SECRETS_MANAGER` overrides the endpoint.
 *
 * @param secretId Returns the secret's name or ARN.
 * @param check Throws if a text is malformed, which then does not replace a known one.
 */
export function changingSecret(secretId: () => string, check: (text: string) => void = () => {}): ChangingSecret {
  let known: Awaited<ReturnType<typeof fetchVersion>> | undefined;
  let fetching: Promise<SecretVersion> | undefined;
  let failed: (() => number) | undefined;
  const fetched = () => {
    fetching ??= fetchVersion(secretId())
      .then((version) => {
        check(version.text);
        known = version;
        return version;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
  return {
    fetched,
    async known() {
      if (!known) return fetched();
      const knownFor = known.elapsed();
      if (knownFor < KNOWN_MS || (failed && failed() < REFRESH_MS)) return known;
      // After a failure, it may be used for REFRESH_MS more.
      const isFresh = knownFor < KNOWN_MS + GRACE_MS - REFRESH_MS;
      return Promise.race(isFresh ? [fetched(), late()] : [fetched()]).catch((error) => {
        failed = stopwatch();
        requestContext().failures.secret.push(error);
        return known as SecretVersion;
      });
    },
  };
}

const late = (): Promise<never> =>
  sleep(WAIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The secret was not fetched again within ${WAIT_MS} ms.`);
  });

/** The text before the last rotation. `undefined` if the secret was never rotated. */
async function fetchPrevious(secretId: string): Promise<string | undefined> {
  try {
    return (await fetchVersion(secretId, 'AWSPREVIOUS')).text;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** A secret's distinct texts, the current one first. */
type Texts = readonly [current: string, ...older: string[]];
export interface RotatingSecret {
  /** At least the text that was current an hour ago. */
  known: () => Promise<Texts>;
  /** Fetches both texts. `undefined` if this process did so within the last minute. */
  refreshed: () => Promise<Texts | undefined>;
}

/**
 * The keys of a secret that has one per line, oldest first, so that what an older one made can still be used.
 *
 * @param variable The setting that names the secret, for the error.
 * @throws Error if the text is not of that form.
 */
export function keysIn(variable: string, text: string, most: number): string[] {
  const keys = text.split('\n');
  if (keys.length > most || keys.includes('') || new Set(keys).size < keys.length)
    throw new Error(
      `The secret in ${variable} must have 1 to ${most} different keys, one a line, and no line break at the end.`,
    );
  return keys;
}

/**
 * A secret in AWS Secrets Manager that is rotated with an overlap: the text before the last rotation is still valid.
 */
export function rotatingSecret(secretId: () => string): RotatingSecret {
  const secret = changingSecret(secretId);
  let texts: Texts | undefined;
  let nextRefresh = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<Texts> | undefined;

  const keep = (current: string, previous = texts?.find((text) => text !== current)): Texts => {
    texts = previous === undefined || previous === current ? [current] : [current, previous];
    return texts;
  };
  const fetchBoth = async () => {
    const [{ text }, previous] = await Promise.all([secret.fetched(), fetchPrevious(secretId())]);
    return keep(text, previous);
  };
  return {
    known: async () => keep((await secret.known()).text),
    async refreshed() {
      // Whoever comes while others wait for a refresh waits for the same one.
      if (refreshing) return refreshing;
      if (nextRefresh > performance.now()) return undefined;
      nextRefresh = performance.now() + REFRESH_MS;
      refreshing = fetchBoth().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}
