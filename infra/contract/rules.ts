/** The rules of a field of a request's body that a form can check while a person types. */
interface Rule {
  required?: true;
  pattern?: string;
  maxLength?: number;
}

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

type Contract = { paths: Record<string, Record<string, { operationId?: string; requestBody?: RequestBody }>> };
type RequestBody = { content: { 'application/json': { schema: Schema } } };

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
export function formRules(...contracts: Contract[]): Record<string, Record<string, Rule>> {
  const schemas = new Map(
    contracts
      .flatMap(({ paths }) => Object.values(paths).flatMap((path) => Object.values(path)))
      .map(({ operationId, requestBody }) => [operationId, requestBody?.content['application/json'].schema]),
  );
  const schemaOf = (operation: string): Schema => {
    const schema = schemas.get(operation);
    if (!schema) throw new Error(`The contracts have no operation ${operation} with a body.`);
    return schema;
  };
  const terminal = schemaOf('createTerminals').properties?.['terminals']?.items ?? {};
  return {
    ...Object.fromEntries(FORMS.map((operation) => [operation, rulesOf(schemaOf(operation))])),
    terminal: rulesOf(terminal),
  };
}
