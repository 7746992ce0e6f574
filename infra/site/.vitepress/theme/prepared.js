import { samplesOf } from './samples.js';

/** Eight letters and digits that nobody has used yet. */
const fresh = () => crypto.randomUUID().slice(0, 8).toUpperCase();

/** A parameter with the value that a request is filled in with, and no other example. */
const filled = ({ example: _, examples: __, schema: { examples: ___, ...schema }, ...parameter }, value) => ({
  ...parameter,
  schema,
  ...(value !== undefined && { example: value }),
});

/** The same request body with another example. */
const filledBody = ({ content, ...body }, example) => ({
  ...body,
  content: Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema, example }])),
});

/** Values with which each operation of the contract succeeds, by operation. */
const freshValues = (examples) => JSON.parse(JSON.stringify(examples).replaceAll('{fresh}', fresh()));

/**
 * The contract as the reference shows it, with samples of code.
 *
 * @param demo Beside an API of its own: where that is, and examples with which its operations succeed, in which `{fresh}`
 * stands for what nobody has used yet.
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
