import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { AUDITOR, MEMBER_OPERATOR, OPERATOR } from '../../infra/operate/policies/operators.ts';
import { ACCESS, FUNCTIONS, type Grants, joined } from '../../infra/stack/template/definitions.ts';

/*
 * access.ts fails a test whose request is not granted. Here, a run of all tests of a project fails if a grant is needed
 * by no request of any test: it is superfluous, or what it is for is not tested.
 */

/** The variable with the file to which the processes of a run write what their requests need. */
const FILE = 'NEEDED_GRANTS';

/** Notes that an operation needed an action on a resource, such as `getBranch GetItem BRANCH`. */
export function note(need: string): void {
  const file = process.env[FILE];
  if (file) appendFileSync(file, `${need}\n`);
}

/** Begins to note, unless only some tests run. */
export function noteIn(file: string): void {
  rmSync(file, { force: true });
  process.env[FILE] = file;
}

/** By project: grants in words, and the operations one of which needs each. Callers are resolved alike in all functions. */
const GRANTS: Record<string, [name: string, grants: Grants, operations: string[]][]> = {
  suite: [
    ...Object.entries(FUNCTIONS).map(([name, { access }]): [string, Grants, string[]] => [name, access, [name]]),
    ['any function', Object.values(ACCESS).reduce(joined), Object.keys(FUNCTIONS)],
  ],
  proofs: [
    ['operator', OPERATOR, ['operator', 'find', 'history', 'repeat-erasures']],
    ['auditor', AUDITOR, ['find', 'history']],
    ['member-operator', MEMBER_OPERATOR, ['members', 'cards', 'history', 'repeat-erasures']],
  ],
};

/** The grants of a project that nothing needed, if the run noted. Of the record's log and the stream, nothing is noted. */
export function superfluous(project: string): string[] {
  const file = process.env[FILE];
  if (!file || !existsSync(file)) return [];
  const noted = new Set(readFileSync(file, 'utf8').split('\n'));
  return (GRANTS[project] ?? []).flatMap(([name, grants, operations]) =>
    Object.entries(grants)
      .filter(([resource]) => !['record-log', 'stream'].includes(resource))
      .flatMap(([resource, actions]) => actions.map((action) => `${action} ${resource}`))
      .filter((grant) => !operations.some((operation) => noted.has(`${operation} ${grant}`)))
      .map((grant) => `${name}: ${grant}`),
  );
}
