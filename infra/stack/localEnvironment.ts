import { randomBytes } from 'node:crypto';

// The processes that this one starts use the same database.
process.env['LOCAL_DATABASE'] ??= randomBytes(16).toString('hex');

/** No proxy leads to this machine's own servers. Node.js reads this at each request if NODE_USE_ENV_PROXY is set. */
const { no_proxy, NO_PROXY } = process.env;
const direct = no_proxy ?? NO_PROXY;
if (direct !== '*') process.env['no_proxy'] = [direct, '127.0.0.1', 'localhost'].filter(Boolean).join(',');

/**
 * Settings of everything that runs on a local engine. The engine requires credentials but accepts any: the access key id
 * names the database, and is random, so that nobody else finds it.
 */
export const LOCAL_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: process.env['LOCAL_DATABASE'],
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: '',
  // A profile would take precedence over these credentials.
  AWS_PROFILE: '',
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'acquirer-partner-api-local',
  LOG_LEVEL: 'INFO',
  METRICS_NAMESPACE: 'acquirer-partner-api-local',
  // No rate limit, unless `npm start` has --rate.
  RATE: '0',
  BURST: '0',
  EVENT_DAYS: '30',
  STAGE: 'local',
  CARD_HMAC_KEY_SECRET: 'acquirer-partner-api-local/card-hmac-key',
  // 1 s on AWS. DynamoDB Local on a busy machine may take longer than a till waits.
  MEMBER_CHECK_MS: '60000',
  // 50 ms on AWS.
  KEEP_REFUSED_MS: '10000',
  SELF_CHECK_KEY_SECRET: 'acquirer-partner-api-local/self-check-key',
  // `npm start` sets ISSUER too. Without it there is no sign-in.
  CLIENT_ID: 'acquirer-partner-api-local',
  CLIENT_CREDENTIAL_SECRET: 'acquirer-partner-api-local/client-secret',
  SEALING_KEY_SECRET: 'acquirer-partner-api-local/sealing-key',
  WEBHOOK_KEY_SECRET: 'acquirer-partner-api-local/webhook-key',
  // Deliveries may go to servers on this machine, also without TLS.
  WEBHOOK_HOSTS: 'loopback',
};

/** The initial contents of the local secret store. */
export const LOCAL_SECRETS: Record<string, string | undefined> = {
  [LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET]: 'local-only-and-no-secret',
  [LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET]: undefined,
  [LOCAL_ENVIRONMENT.WEBHOOK_KEY_SECRET]: 'local-only-and-no-secret',
  // `npm start` generates both.
  [LOCAL_ENVIRONMENT.CLIENT_CREDENTIAL_SECRET]: undefined,
  [LOCAL_ENVIRONMENT.SEALING_KEY_SECRET]: undefined,
};
