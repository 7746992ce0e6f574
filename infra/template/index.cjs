// What serverless.yml takes from TypeScript. It can require CommonJS alone, and that can require TypeScript on Node.js 24.
const { alarms } = require('./alarms.ts');
const { ceilings, readCeilings } = require('./ceilings.ts');
const { dashboard } = require('./dashboard.ts');
const { baseUrl, domain } = require('./domain.ts');
const { roles } = require('./roles.ts');

/** The fragments of a stage. serverless calls this for each of them that serverless.yml names. */
module.exports = async ({ resolveVariable }) => {
  const param = (name) => resolveVariable(`param:${name}`);
  const limits = await readCeilings(param);
  const ownDomain = await param('domain');
  return {
    alarms: alarms(limits),
    baseUrl: baseUrl(ownDomain),
    ceilings: ceilings(limits, await resolveVariable('sls:stage')),
    dashboard: dashboard(limits),
    domain: domain(ownDomain, await param('certificate')),
    roles,
  };
};
