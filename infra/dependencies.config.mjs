/*
 * The directions of imports, checked by `npm run dependencies` (https://github.com/sverweij/dependency-cruiser). Imports of
 * types count too.
 */

const ENTITIES = '^lib/[^/]+$';
const PROJECT = '^(docs|functions|infra|lib|test)/';

/** Forbids imports of the project's files, except those that match `to`. */
const only = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: PROJECT, pathNot: to },
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    only('base-is-self-contained', 'Everything builds on lib/base.', '^lib/base/', '^lib/base/'),
    only(
      'table-knows-no-entities',
      'The table layer stores the items of any entity.',
      '^lib/table/',
      '^lib/(table|base)/',
    ),
    only('entities-know-no-http', 'Operator commands use entities without HTTP.', ENTITIES, [
      ENTITIES,
      '^lib/(table|base)/',
    ]),
    only('http-serves-any-function', 'All functions share the HTTP layer.', '^lib/http/', '^lib/'),
    only(
      'functions-use-lib-only',
      'Each function is bundled and deployed alone, so functions share code only through lib.',
      '^functions/',
      '^lib/',
    ),
    only(
      'docs-are-self-contained',
      'Partners receive the client and its examples without the rest.',
      '^docs/',
      '^docs/',
    ),
    {
      name: 'only-tests-import-tests',
      comment: 'Nothing that runs outside tests depends on test helpers.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'deployed-code-needs-no-devDependencies',
      comment: '`npm run vulnerabilities` audits the dependencies only, as what is deployed.',
      severity: 'error',
      from: { path: '^(functions|lib)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: '^node_modules/@types/' },
    },
    {
      name: 'imports-exist',
      comment: 'An import that is not resolved is not checked by the other rules.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
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
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
