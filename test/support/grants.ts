import { appendFileSync, readFileSync } from 'node:fs';
import { ACCESS, FUNCTIONS, type Grants, joined, QUEUES } from '../../infra/stack/template/definitions.ts';
import { grantsIn } from './policies.ts';

/*
 * access.ts fails a test whose request is not granted. A run of all tests with NEEDED_GRANTS=<file> notes there what
 * their requests need. Then `node test/support/grants.ts <file>` fails if a grant is needed by no request of any test:
 * it is superfluous, or what it is for is not tested.
 */

/** The variable with the file to which the processes of a run write what their requests need. */
const FILE = 'NEEDED_GRANTS';

/** Notes that an operation needed an action on a resource, such as `getBranch GetItem BRANCH`. */
export function note(need: string): void {
  const file = process.env[FILE];
  if (file) appendFileSync(file, `${need}\n`);
}

/** Grants in words, and the operations one of which needs each. Callers are resolved alike in all functions. */
const GRANTS: [name: string, grants: Grants, operations: string[]][] = [
  ...Object.entries(FUNCTIONS).map(([name, { access }]): [string, Grants, string[]] => [name, access, [name]]),
  ['any function', Object.values(ACCESS).reduce(joined), Object.keys(FUNCTIONS)],
  ['operator', grantsIn('operator'), ['operator', 'find', 'history', 'erase']],
  ['auditor', grantsIn('auditor'), ['find', 'history', 'audit']],
  ['member-operator', grantsIn('member-operator'), ['members', 'cards', 'history', 'erase']],
];

/** The grants that nothing needed. Of the record's log, the stream and the queues, nothing is noted. */
function superfluous(file: string): string[] {
  const noted = new Set(readFileSync(file, 'utf8').split('\n'));
  return GRANTS.flatMap(([name, grants, operations]) =>
    Object.entries(grants)
      .filter(([resource]) => !['record-log', 'stream', ...Object.keys(QUEUES)].includes(resource))
      .flatMap(([resource, actions]) => actions.map((action) => `${action} ${resource}`))
      .filter((grant) => !operations.some((operation) => noted.has(`${operation} ${grant}`)))
      .map((grant) => `${name}: ${grant}`),
  );
}

if (import.meta.main) {
  const found = superfluous(process.argv[2] as string);
  for (const grant of found)
    process.stderr.write(`No test needs the grant ${grant}. Remove it, or test what it is for.\n`);
  process.exitCode = Number(found.length > 0);
}
