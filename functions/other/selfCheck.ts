import type { Context } from 'aws-lambda';
import { changingSecret } from '../../lib/aws/secret.ts';
import { setting } from '../../lib/base/config.ts';
import { writeLine } from '../../lib/base/logLine.ts';
import { type Outcome, selfCheck } from '../../lib/selfCheck/selfCheck.ts';

const secret = changingSecret(() => setting('SELF_CHECK_KEY_SECRET'));
const ownKey = async () => (await secret.known()).text;

/** After a check that failed, the key may have been rotated. */
let hasFailed = false;

/**
 * Checks the stage's API, and logs one line of JSON with metrics, at any LOG_LEVEL and with a level that no filter of
 * Lambda drops. EventBridge invokes it every minute (infra/stack/functions.yml). It does not reject when a check fails:
 * an error of this function means that it is broken itself. Until its secret has a key, it checks nothing.
 *
 * @returns The outcomes, for manual invocations.
 */
export async function handler(_: unknown, { awsRequestId }: Context): Promise<Outcome[]> {
  // The metrics count in the minute in which the check began.
  const started = new Date();
  const isEnabled = await (hasFailed ? secret.fetched() : secret.known()).then(() => true, isNotEmpty);
  const checks = isEnabled ? await selfCheck(setting('BASE_URL'), ownKey, started) : [];
  hasFailed = checks.some(({ failure }) => failure !== null);
  const durations = checks.flatMap(({ metric, duration_ms }) =>
    metric && duration_ms > 0 ? [{ metric, duration_ms }] : [],
  );
  const fields = {
    request_id: awsRequestId,
    self_check_is_enabled: Number(isEnabled),
    self_check_failures: Number(hasFailed),
    ...Object.fromEntries(durations.map(({ metric, duration_ms }) => [metric, duration_ms])),
    checks,
  };
  const metrics = durations.map(({ metric }) => metric);
  writeLine('FATAL', fields, ['self_check_is_enabled', 'self_check_failures', ...metrics], started);
  return checks;
}

/** Whether the secret could not be fetched for another reason than that it is empty. */
const isNotEmpty = ({ name }: Error): boolean => name !== 'ResourceNotFoundException';
