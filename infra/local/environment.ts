import type { Secrets } from './secretStore.ts';

/** Settings of everything that runs on a local engine, which takes any credentials but wants some. */
export const LOCAL_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: '',
  // One that is set would win over these credentials.
  AWS_PROFILE: '',
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'acquirer-partner-api-local',
  LOG_LEVEL: 'INFO',
  METRICS_NAMESPACE: 'acquirer-partner-api-local',
  // No limit, unless `npm start` is given one.
  RATE: '0',
  BURST: '0',
  EVENT_DAYS: '30',
  CARD_HMAC_KEY_SECRET: 'acquirer-partner-api-local/card-hmac-key',
  SELF_CHECK_KEY_SECRET: 'acquirer-partner-api-local/self-check-key',
};

/** What the local secret store holds at first. */
export const LOCAL_SECRETS: Secrets = {
  [LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET]: 'local-only-and-no-secret',
  [LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET]: undefined,
};
