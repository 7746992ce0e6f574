import { LOCAL_ENVIRONMENT } from '../../infra/stack/localEnvironment.ts';

const { DATABASES, JEST_WORKER_ID } = process.env;
// Workers do not wait for each other's requests: the engine has a database for each access key.
if (DATABASES === 'separate') LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID = `worker${JEST_WORKER_ID}`;

// Set before any import of a test file.
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  BASE_URL: 'https://api.example.com',
  // Tests of the other log lines set it themselves.
  LOG_LEVEL: 'ERROR',
});
