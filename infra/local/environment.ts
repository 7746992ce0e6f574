/** Settings of everything that runs on a local engine, which takes any credentials but wants some. */
export const LOCAL_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: '',
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'acquirer-partner-api-local',
  CARD_HMAC_KEY: 'local-only-and-no-secret',
};
