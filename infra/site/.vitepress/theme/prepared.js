import { samplesOf } from './samples.js';

/** Returns eight random letters and digits. */
const fresh = () => crypto.randomUUID().slice(0, 8).toUpperCase();

/** Replaces the examples of a parameter with a value. */
const filled = ({ example: _, examples: __, schema: { examples: ___, ...schema }, ...parameter }, value) => ({
  ...parameter,
  schema,
  ...(value !== undefined && { example: value }),
});

/** Replaces the example of a request body. */
const filledBody = ({ content, ...body }, example) => ({
  ...body,
  content: Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema, example }])),
});

/** Replaces the placeholder `{fresh}` in the examples. */
const freshValues = (examples) => JSON.parse(JSON.stringify(examples).replaceAll('{fresh}', fresh()));

/**
 * Prepares the contract for the reference: adds code samples and, beside a running API, examples that work there.
 *
 * @param demo The origin of the running API, if any, and its examples by operation. `{fresh}` in them is a placeholder
 * for unused letters and digits.
 */
export function prepared(contract, demo) {
  const values = freshValues(demo?.examples ?? {});
  const resolved = (parameter) => contract.components.parameters[parameter.$ref?.split('/').at(-1)] ?? parameter;
  const servers = demo ? [{ url: demo.origin, description: 'This server, with demo data.' }] : contract.servers;

  const filledIn = ({ parameters, requestBody, ...operation }) => {
    const { parameters: named, body } = values[operation.operationId] ?? {};
    const given = { 'Idempotency-Key': `${operation.operationId}-${fresh()}`, ...named };
    return {
      ...operation,
      parameters: parameters.map((parameter) => filled(parameter, given[parameter.name])),
      ...(requestBody && { requestBody: filledBody(requestBody, body) }),
    };
  };
  const shown = (path, method, operation) => {
    const whole = { ...operation, parameters: (operation.parameters ?? []).map(resolved) };
    const used = demo ? filledIn(whole) : whole;
    return { ...used, 'x-codeSamples': samplesOf(servers[0], path, method, used) };
  };
  const paths = Object.entries(contract.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, shown(path, method, operation)]),
    ),
  ]);
  return { ...contract, servers, paths: Object.fromEntries(paths) };
}
