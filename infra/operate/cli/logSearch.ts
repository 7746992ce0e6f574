import { dirname, join } from 'node:path';
import { nameOf, parameterOf } from '../../stack/template/definitions.ts';
import { AROUND_MS } from './partnerEvents.ts';
import type { TargetOptions } from './target.ts';

/**
 * Returns a command that finds a request in the log, to paste into a shell.
 *
 * @param time When the request was sent, in milliseconds; by default, all that the log retains is searched.
 */
export type LogSearch = (requestId: string, time?: number) => string;

const DAY_S = 24 * 60 * 60;

/** The log of `npm start` is beside its file. With `--table`, the stage is unknown, and the operator fills it in. */
export const logSearchOf =
  ({ stage, table, local = '' }: TargetOptions): LogSearch =>
  (requestId, time) => {
    if (!stage && !table) return `grep ${requestId} ${join(dirname(local), 'server.log')}`;
    const now = Math.ceil(Date.now() / 1000);
    const retained = Number(parameterOf(stage ?? 'prod', 'logRetentionDays')) * DAY_S;
    const [from, to] = time
      ? [time - AROUND_MS, time + AROUND_MS].map((each) => Math.round(each / 1000))
      : [now - retained, now];
    // A stage has more logs of functions than a query can name ("SOURCE", CloudWatch Logs User Guide).
    const query = [
      `SOURCE logGroups(namePrefix: ['/aws/lambda/${nameOf(stage ?? '<stage>')}-'])`,
      `filter request_id = '${requestId}'`,
      'fields @timestamp, route, acquirer, key_id, status, code, duration_ms, causes.0.message',
    ].join(' | ');
    const logs = `aws logs${stage ? ` --region ${parameterOf(stage, 'region')}` : ''}`;
    const start = `${logs} start-query --start-time ${from} --end-time ${to} --query-string "${query}"`;
    return `id=$(${start} --query queryId --output text); sleep 20; ${logs} get-query-results --query-id "$id"`;
  };
