// Generated parts of serverless.yml. serverless can only require CommonJS, which on Node.js 24 can require TypeScript.
const { alarms } = require('./alarms.ts');
const { backup } = require('./backup.ts');
const { ceilings, readCeilings } = require('./ceilings.ts');
const { cors } = require('./cors.ts');
const { dashboard } = require('./dashboard.ts');
const { functionsOf } = require('./definitions.ts');
const { baseUrl, domain } = require('./domain.ts');
const { readOptions } = require('./options.ts');
const { probe } = require('./probe.ts');
const { record } = require('./record.ts');
const { roles } = require('./roles.ts');
const { hasIssuer, readSignIn, signIn } = require('./signIn.ts');
const { table } = require('./table.ts');
const { deployments } = require('./versions.ts');

/** Returns the generated parts for a stage. serverless calls this once for each part that serverless.yml includes. */
module.exports = async ({ resolveVariable }) => {
  const param = (name) => resolveVariable(`param:${name}`);
  const limits = await readCeilings(param);
  const ownDomain = await param('domain');
  const settings = await readSignIn(param);
  const options = await readOptions(param);
  const functions = functionsOf(hasIssuer(settings));
  const stageAlarms = alarms(limits, functions, Number(await param('memberCheckInstances')));
  return {
    alarms: stageAlarms,
    backup: backup(options),
    baseUrl: baseUrl(ownDomain),
    ceilings: ceilings(limits, await resolveVariable('sls:stage'), functions),
    cors: cors(await param('siteOrigin')),
    dashboard: dashboard(Object.keys(stageAlarms.Resources), functions),
    deployments,
    domain: domain(ownDomain, await param('certificate')),
    hasIssuer: hasIssuer(settings),
    probe: probe(String(await param('protection')) === 'true', options.kmsKey),
    record: record(Number(await param('eventDays'))),
    roles: roles(functions, options),
    signIn: signIn(settings, ownDomain),
    table: table(limits, options),
    tracing: options.tracing,
  };
};
