import { mapped, type Schema } from './schemas.ts';

/** The operations whose bodies people fill in. */
const FORMS = ['createBranch', 'updateBranch', 'updateTerminal', 'archiveTerminal', 'createKey', 'invitePerson'];

type Operation = { operationId?: string; requestBody?: { content: { 'application/json': { schema: Schema } } } };

/** The rules of the fields that a form can check while a person types. */
const rulesOf = ({ properties = {}, required = [] }: Schema) =>
  mapped(
    Object.fromEntries(Object.entries(properties).filter(([, { items }]) => !items)),
    ({ pattern, maxLength }, name) => ({
      ...(required.includes(name) && { required: true }),
      ...(pattern !== undefined && { pattern }),
      ...(maxLength !== undefined && { maxLength }),
    }),
  );

/**
 * The rules of the bodies that people fill in, from the contracts: by operation and field. `terminal` has those of a
 * terminal to create.
 */
export function formRules(...contracts: { paths: Record<string, Record<string, Operation>> }[]) {
  const operations = contracts.flatMap(({ paths }) => Object.values(paths).flatMap((path) => Object.values(path)));
  const schemaOf = (operation: string): Schema => {
    const { requestBody } = operations.find(({ operationId }) => operationId === operation) ?? {};
    if (!requestBody) throw new Error(`The contracts have no operation ${operation} with a body.`);
    return requestBody.content['application/json'].schema;
  };
  return {
    ...Object.fromEntries(FORMS.map((operation) => [operation, rulesOf(schemaOf(operation))])),
    terminal: rulesOf(schemaOf('createTerminals').properties?.['terminals']?.items ?? {}),
  };
}
