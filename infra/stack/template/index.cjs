// Generated parts of serverless.yml and data/serverless.yml. serverless can only require CommonJS, which on Node.js 24 can
// require TypeScript.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parse } = require('yaml');
const { alarms } = require('./alarms.ts');
const { ceilings } = require('./ceilings.ts');
const { dashboard } = require('./dashboard.ts');
const { executionRoleOf, functionsOf, nameOf } = require('./definitions.ts');
const { baseUrl } = require('./baseUrl.ts');
const { functions } = require('./functions.ts');
const { hasIssuer, KEYS, parametersOf } = require('./parameters.ts');
const { record, recordLog } = require('./record.ts');
const { roles } = require('./roles.ts');
const { signIn } = require('./userPool.ts');
const { table } = require('./table.ts');
const { deployments } = require('./versions.ts');
const { webhooks } = require('./webhooks.ts');

/** Returns a part of infra/stack/ that only some stages have. serverless resolves its variables afterwards. */
const part = (file) => parse(readFileSync(join(__dirname, '..', file), 'utf8'));

/** Returns the generated parts for a stage. serverless calls this once for each part that a stack includes. */
module.exports = async ({ options, resolveVariable, resolveConfigurationProperty }) => {
  const stage = await resolveVariable('sls:stage');
  const row = await resolveConfigurationProperty(['params', stage]);
  const parameters = await parametersOf(stage, options.param ?? [], row).catch((error) => {
    // serverless prints the stack of an error, once for each part.
    error.stack = error.message;
    throw error;
  });
  const { account } = parameters;
  const names = functionsOf(hasIssuer(parameters));
  const { Resources: secrets } = part('data/secrets.yml');
  const isOwn = (parameter) => parameters[parameter] === `${nameOf(stage)}/${KEYS[parameter]}`;
  if (!isOwn('cardHmacKeySecret')) delete secrets.CardHmacKey;
  if (!isOwn('webhookKeySecret')) delete secrets.WebhookKey;
  if (!hasIssuer(parameters)) delete secrets.SealingKey;
  const stageAlarms = alarms(parameters, names);
  return {
    alarms: stageAlarms,
    backup: parameters.backupVault ? part('data/backup.yml') : {},
    baseUrl: baseUrl(parameters),
    ceilings: ceilings(parameters, stage, names),
    cors: parameters.siteOrigin ? part('cors.yml') : {},
    dashboard: dashboard(Object.keys(stageAlarms.Resources), names),
    deployments: deployments(parameters),
    domain: parameters.domain ? part('domain.yml') : {},
    functions: functions(names),
    // Whoever deploys, CloudFormation acts with this role, for good ("CloudFormation service role").
    iam: account ? { deploymentRole: `arn:aws:iam::${account}:role/${executionRoleOf(stage)}` } : {},
    record,
    recordLog: recordLog(parameters),
    roles: roles(names, parameters),
    secrets: { Resources: secrets },
    signIn: signIn(parameters),
    table: table(parameters),
    tracing: parameters.tracing,
    userPool: parameters.cognitoDomainPrefix ? part('data/userPool.yml') : {},
    webhooks: webhooks(parameters),
  };
};
