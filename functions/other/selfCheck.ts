import type { Context } from 'aws-lambda';
import { setting } from '../../lib/base/config.ts';
import { writeLine } from '../../lib/base/logLine.ts';
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
  const started = new Date();
  const checks = await selfCheck(setting('BASE_URL'), ownKey);
  const hasPassed = checks.every(({ failure }) => failure === null);
  // The key may have been rotated.
  if (!hasPassed) ownKey = newKeyGetter();
  const fields = {
    request_id: awsRequestId,
    self_check_successes: Number(hasPassed),
    self_check_duration_ms: Math.max(...checks.map(({ duration_ms }) => duration_ms)),
    checks,
  };
  writeLine(hasPassed ? 'INFO' : 'ERROR', fields, ['self_check_successes', 'self_check_duration_ms'], started);
  return checks;
}
