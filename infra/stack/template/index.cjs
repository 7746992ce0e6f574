// Generated parts of serverless.yml and serverless.data.yml. serverless can only require CommonJS, which on Node.js 24 can
// require TypeScript.
const { alarms } = require('./alarms.ts');
const { backup } = require('./backup.ts');
const { ceilings } = require('./ceilings.ts');
const { cors } = require('./cors.ts');
const { dashboard } = require('./dashboard.ts');
const { functionsOf } = require('./definitions.ts');
const { baseUrl, domain } = require('./domain.ts');
const { hasIssuer, readParameters } = require('./parameters.ts');
const { record, recordLog } = require('./record.ts');
const { roles } = require('./roles.ts');
const { secrets } = require('./secrets.ts');
const { signIn, userPool } = require('./userPool.ts');
const { table } = require('./table.ts');
const { deployments } = require('./versions.ts');

/** Returns the generated parts for a stage. serverless calls this once for each part that a stack includes. */
module.exports = async ({ resolveVariable }) => {
  const parameters = await readParameters((name) => resolveVariable(`param:${name}`));
  const stage = await resolveVariable('sls:stage');
  const functions = functionsOf(hasIssuer(parameters));
  const stageAlarms = alarms(parameters, functions);
  return {
    alarms: stageAlarms,
    backup: backup(parameters),
    baseUrl: baseUrl(parameters),
    ceilings: ceilings(parameters, stage, functions),
    cors: cors(parameters),
    dashboard: dashboard(Object.keys(stageAlarms.Resources), functions),
    deployments,
    domain: domain(parameters),
    hasIssuer: hasIssuer(parameters),
    record,
    recordLog: recordLog(parameters),
    roles: roles(functions, parameters),
    secrets: secrets(parameters, stage),
    signIn: signIn(parameters),
    table: table(parameters),
    tracing: parameters.tracing,
    userPool: userPool(parameters),
  };
};
