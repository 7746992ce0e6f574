import { randomUUID } from 'node:crypto';
import { LOCAL_ENVIRONMENT } from '../../infra/local/environment.ts';
import { actAs } from '../../lib/operator/operator.ts';

// Set before any import of a test file: each file has its own table, so files can run in parallel.
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  TABLE_NAME: `test-${randomUUID()}`,
  BASE_URL: 'https://api.example.com',
  // Tests of the other log lines set it themselves.
  LOG_LEVEL: 'ERROR',
});

// The author of what tests prepare without the admin tool.
actAs(async () => 'test');
