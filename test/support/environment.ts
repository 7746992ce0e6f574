import { randomUUID } from 'node:crypto';
import { LOCAL_ENVIRONMENT } from '../../infra/local/environment.ts';
import { actAs } from '../../lib/operator.ts';

// Before any import of a test file: each has its own table, so that files run in parallel.
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  TABLE_NAME: `test-${randomUUID()}`,
  BASE_URL: 'https://api.example.com',
  // Tests that are about the other lines set it themselves.
  LOG_LEVEL: 'ERROR',
});

// What tests prepare without the operator's tool is the work of this author.
actAs(async () => 'test');
