// Generated parts of serverless.yml and serverless.data.yml. serverless can only require CommonJS, which on Node.js 24 can
// require TypeScript.
const { alarms } = require('./alarms.ts');
const { backup } = require('./backup.ts');
const { ceilings, readCeilings } = require('./ceilings.ts');
const { cors } = require('./cors.ts');
const { dashboard } = require('./dashboard.ts');
const { functionsOf } = require('./definitions.ts');
const { baseUrl, domain } = require('./domain.ts');
const { readOptions } = require('./options.ts');
const { record, recordLog } = require('./record.ts');
const { roles } = require('./roles.ts');
const { secrets } = require('./secrets.ts');
const { hasIssuer, readSignIn, signIn, userPool } = require('./signIn.ts');
const { table } = require('./table.ts');
const { deployments } = require('./versions.ts');

/** Returns the generated parts for a stage. serverless calls this once for each part that a stack includes. */
module.exports = async ({ resolveVariable }) => {
  const param = (name) => resolveVariable(`param:${name}`);
  const stage = await resolveVariable('sls:stage');
  const limits = await readCeilings(param);
  const ownDomain = await param('domain');
  const settings = await readSignIn(param);
  const options = await readOptions(param);
  const functions = functionsOf(hasIssuer(settings));
  const stageAlarms = alarms(limits, functions);
  return {
    alarms: stageAlarms,
    backup: backup(options),
    baseUrl: baseUrl(ownDomain),
    ceilings: ceilings(limits, stage, functions),
    cors: cors(await param('siteOrigin')),
    dashboard: dashboard(Object.keys(stageAlarms.Resources), functions),
    deployments,
    domain: domain(ownDomain, await param('certificate')),
    hasIssuer: hasIssuer(settings),
    record,
    recordLog: recordLog(Number(await param('eventDays'))),
    roles: roles(functions, options),
    secrets: secrets(options, stage, hasIssuer(settings)),
    signIn: signIn(settings, ownDomain),
    table: table(limits, options),
    tracing: options.tracing,
    userPool: userPool(settings),
  };
};
