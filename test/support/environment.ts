import { randomUUID } from 'node:crypto';

// Before any import of a test file: each has its own table, so that files run in parallel.
Object.assign(process.env, {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: `test-${randomUUID()}`,
  BASE_URL: 'https://api.example.com',
  CARD_HMAC_KEY: 'only-for-tests',
});
