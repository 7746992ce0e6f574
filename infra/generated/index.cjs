// What serverless.yml takes from TypeScript. It can require CommonJS alone, and that can require TypeScript on Node.js 24.
const { alarms } = require('./alarms.ts');
const { dashboard } = require('./dashboard.ts');
const { roles } = require('./roles.ts');

module.exports = { alarms, dashboard, roles };
