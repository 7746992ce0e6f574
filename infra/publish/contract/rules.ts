/** The operations whose bodies people fill in. */
const FORMS = ['createBranch', 'updateBranch', 'updateTerminal', 'archiveTerminal', 'createKey', 'invitePerson'];

/** The keywords of a body's schema that are read here. */
interface Schema {
  pattern?: string;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The rules of a field that a form can check while a person types. */
type Rule = Pick<Schema, 'pattern' | 'maxLength'> & { required?: true };

type Operation = { operationId?: string; requestBody?: { content: { 'application/json': { schema: Schema } } } };

const rulesOf = ({ properties = {}, required = [] }: Schema): Record<string, Rule> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, { items }]) => !items)
      .map(([name, { pattern, maxLength }]) => [
        name,
        {
          ...(required.includes(name) && { required: true }),
          ...(pattern && { pattern }),
          ...(maxLength && { maxLength }),
        },
      ]),
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
