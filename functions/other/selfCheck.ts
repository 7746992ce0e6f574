import type { Context } from 'aws-lambda';
import { setting } from '../../lib/base/config.ts';
import { embeddedMetrics } from '../../lib/base/metrics.ts';
import { secretText } from '../../lib/platform/secret.ts';
import { type Outcome, selfCheck } from '../../lib/platform/selfCheck.ts';

const newKeyGetter = () => secretText(() => setting('SELF_CHECK_KEY_SECRET'));
let ownKey = newKeyGetter();

/**
 * Checks the stage's API, and logs one line of JSON with metrics at any LOG_LEVEL. EventBridge invokes it every minute
 * (infra/functions.yml). It does not reject when a check fails: an error of this function means that it is broken
 * itself.
 *
 * @returns The outcomes, for manual invocations.
 */
export async function handler(_: unknown, { awsRequestId }: Context): Promise<Outcome[]> {
  // The metrics count in the minute in which the check began.
  const started = Date.now();
  const checks = await selfCheck(setting('BASE_URL'), ownKey);
  const hasPassed = checks.every(({ failure }) => failure === null);
  // The key may have been rotated.
  if (!hasPassed) ownKey = newKeyGetter();
  const line = {
    level: hasPassed ? 'INFO' : 'ERROR',
    request_id: awsRequestId,
    self_check_successes: Number(hasPassed),
    self_check_duration_ms: Math.max(...checks.map(({ duration_ms }) => duration_ms)),
    checks,
    _aws: embeddedMetrics(['self_check_successes', 'self_check_duration_ms'], started),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return checks;
}
