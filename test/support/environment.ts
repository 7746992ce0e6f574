// Workers do not wait for each other's requests: the engine has a database for each access key. Processes that a test
// starts use that of the test.
process.env['LOCAL_DATABASE'] += `w${process.env['JEST_WORKER_ID']}`;
const { LOCAL_ENVIRONMENT } = await import('../../infra/stack/localEnvironment.ts');

// Set before any import of a test file.
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  BASE_URL: 'https://api.example.com',
  // As on a stage. Tests with receivers on this machine set it themselves.
  WEBHOOK_HOSTS: '',
  // Tests of the other log lines set it themselves.
  LOG_LEVEL: 'ERROR',
});
