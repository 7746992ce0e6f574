/*
 * The directions of imports, checked by `npm run imports` (https://github.com/sverweij/dependency-cruiser). Imports of
 * types count too.
 */

/** The rooms of lib/, from the lowest. Each imports only rooms before it, so no two import each other. */
const ROOMS = [
  ...['base', 'aws', 'table'],
  ...[
    'record',
    'acquirers',
    'events',
    'limits',
    'people',
    'branches',
    'history',
    'webhooks',
    'refusedRequests',
    'find',
  ],
  ...['members', 'selfCheck', 'assistants'],
  // Operator commands use subjects without HTTP.
  ...['operator', 'http'],
];
/** The rooms of the console, from the lowest, which knows nothing of the product. */
const CONSOLE = 'functions/console/app';
const CONSOLE_ROOMS = [
  ...['shared', 'api', 'session', 'kept', 'fields', 'files', 'bulk', 'estate'],
  ...['resources', 'changes', 'jobs', 'search', 'pages', 'shell'],
];
/** Two files of text alone, which run anywhere: by them, the service, browsers and partners find the same. */
const TEXT = '^lib/base/(?:invisible|words)\\.ts$';
/** What the browser has of others: the client with its types, and text. */
const FROM_THE_SERVICE = ['^docs/client/(?:schema\\.d|apply|estate/\\w+)\\.ts$', TEXT];
const OPERATOR = '^lib/operator/';
const PROJECT = '^(docs|functions|infra|lib|test)/';

/** Forbids imports of the project's files, except those that match `to`. */
const only = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: PROJECT, pathNot: to },
});

/** Forbids each of these folders to import any but earlier ones of the same root, so that no two import each other. */
const oneWay = (root, ...folders) =>
  folders.map((folder, at) => ({
    name: `${folder}-knows-only-what-comes-before`,
    comment: `Each folder of ${root} can be understood without those on its right: ${folders.join(', ')}.`,
    severity: 'error',
    from: { path: `^${root}/${folder}/` },
    to: { path: `^${root}/[^/]+/`, pathNot: `^${root}/(${folders.slice(0, at + 1).join('|')})/` },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    only('lib-uses-lib-only', 'What functions, tools and tests share knows none of them.', '^lib/', '^lib/'),
    ...oneWay('lib', ...ROOMS),
    only(
      'lib-has-no-other-rooms',
      'A new room has its place in the order above.',
      `^lib/(?!(${ROOMS.join('|')})/)`,
      '^$',
    ),
    {
      name: 'functions-never-reach-operator-code',
      comment: 'A function bundles what it reaches. What changes acquirers, keys and members is not deployed with it.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: OPERATOR, reachable: true },
    },
    only(
      'functions-use-lib-only',
      'Each function is bundled and deployed alone, so functions share code only through lib.',
      '^functions/(?!console/app/)',
      // Bundles have what these make in place of them: infra/stack/bundling.ts.
      ['^lib/', '^infra/stack/(?:console/built|assistants/tools)\\.ts$'],
    ),
    only(
      'the-browser-gets-its-own-code-only',
      'Code of the server would need Node.js, and would show what no browser needs. The client has all types.',
      `^${CONSOLE}/`,
      [`^${CONSOLE}/`, ...FROM_THE_SERVICE],
    ),
    // Above all are App.tsx and main.tsx.
    ...oneWay(CONSOLE, ...CONSOLE_ROOMS),
    only(
      'console-has-no-other-rooms',
      'A new room has its place in the order above.',
      `^${CONSOLE}/(?!(${CONSOLE_ROOMS.join('|')})/)[^/]+/`,
      '^$',
    ),
    only(
      'docs-are-self-contained',
      'Partners receive the client, with the text that it finds by, and its examples without the rest.',
      '^docs/',
      ['^docs/', TEXT],
    ),
    only('templates-need-little', 'Tests package again what these have changed.', '^infra/stack/template/', [
      '^infra/stack/',
      '^lib/(aws|base|table)/',
    ]),
    ...oneWay('infra', 'stack', 'publish', 'operate', 'local'),
    ...oneWay('infra/operate', 'deploy', 'cli', 'recovery', 'verify'),
    {
      name: 'only-tests-import-tests',
      comment: 'Nothing that runs outside tests depends on test helpers.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'deployed-code-needs-no-devDependencies',
      comment: '`npx node test/packaged/vulnerabilities.ts` audits the dependencies only, as what is deployed.',
      severity: 'error',
      from: { path: '^(functions|lib)/', pathNot: `^${CONSOLE}/vite\\.config\\.ts$` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: '^node_modules/@types/' },
    },
    {
      name: 'imports-exist',
      comment: 'An import that is not resolved is not checked by the other rules.',
      severity: 'error',
      from: {},
      // With `?url`, Vite gives the address of a file of a package.
      to: { couldNotResolve: true, pathNot: '\\?url$' },
    },
    {
      name: 'no-circles',
      comment: 'Files that import each other can only be understood together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Counts imports of types.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
