// Generated parts of serverless.yml and data/serverless.yml. serverless can only require CommonJS, which on Node.js 24 can
// require TypeScript.
const { alarms } = require('./alarms.ts');
const { backup } = require('./backup.ts');
const { ceilings } = require('./ceilings.ts');
const { cors } = require('./cors.ts');
const { dashboard } = require('./dashboard.ts');
const { executionRoleOf, functionsOf } = require('./definitions.ts');
const { baseUrl, domain } = require('./domain.ts');
const { functions } = require('./functions.ts');
const { hasIssuer, readParameters } = require('./parameters.ts');
const { record, recordLog } = require('./record.ts');
const { roles } = require('./roles.ts');
const { secrets } = require('./secrets.ts');
const { signIn, userPool } = require('./userPool.ts');
const { table } = require('./table.ts');
const { deployments } = require('./versions.ts');

/** Returns the generated parts for a stage. serverless calls this once for each part that a stack includes. */
module.exports = async ({ options, resolveVariable, resolveConfigurationProperty }) => {
  const stage = await resolveVariable('sls:stage');
  const parameters = await readParameters({
    stage,
    row: await resolveConfigurationProperty(['params', stage]),
    given: options.param ?? [],
    otherwise: (name) => resolveVariable(`param:${name}`),
  }).catch((error) => {
    // serverless prints the stack of an error, once for each part.
    error.stack = error.message;
    throw error;
  });
  const { account } = parameters;
  const names = functionsOf(hasIssuer(parameters));
  const stageAlarms = alarms(parameters, names);
  return {
    alarms: stageAlarms,
    backup: backup(parameters),
    baseUrl: baseUrl(parameters),
    ceilings: ceilings(parameters, stage, names),
    cors: cors(parameters),
    dashboard: dashboard(Object.keys(stageAlarms.Resources), names),
    deployments: deployments(parameters),
    domain: domain(parameters),
    functions: functions(names),
    // Whoever deploys, CloudFormation acts with this role, for good ("CloudFormation service role").
    iam: account ? { deploymentRole: `arn:aws:iam::${account}:role/${executionRoleOf(stage)}` } : {},
    record,
    recordLog: recordLog(parameters),
    roles: roles(names, parameters),
    secrets: secrets(parameters, stage),
    signIn: signIn(parameters),
    table: table(parameters),
    tracing: parameters.tracing,
    userPool: userPool(parameters),
  };
};
