import { interfacePaths } from '../../../contract/paths.ts';
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

/** A request body without its condition, which the renderer would show as several objects. The description has it in words. */
const withoutCondition = ({ content, ...body }) => {
  const entries = Object.entries(content).map(([type, { schema, ...media }]) => {
    const { anyOf: _, ...unconditional } = schema;
    return [type, { ...media, schema: unconditional }];
  });
  return { ...body, content: Object.fromEntries(entries) };
};

/** Replaces the placeholder `{fresh}` in the examples. */
const freshValues = (examples) => JSON.parse(JSON.stringify(examples).replaceAll('{fresh}', fresh()));

/**
 * Prepares the contract for the reference: names path parameters as the interface does, and adds code samples and examples
 * that work in the demo.
 *
 * @param environment Where its requests go; by default, the server of the contract.
 * @param examples The demo's values by operation, if any. `{fresh}` in them is a placeholder for unused letters and digits.
 */
export function prepared(contract, environment, examples) {
  const values = freshValues(examples ?? {});
  const resolved = (parameter) => contract.components.parameters[parameter.$ref?.split('/').at(-1)] ?? parameter;
  const servers = environment ? [{ url: environment.base_url, description: environment.name }] : contract.servers;

  const filledIn = ({ parameters, requestBody, ...operation }) => {
    const { parameters: { id, ...named } = {}, body } = values[operation.operationId] ?? {};
    // The demo names parameters like the routes, where `id` is a MID or a TID.
    const given = { 'Idempotency-Key': `${operation.operationId}-${fresh()}`, mid: id, tid: id, ...named };
    return {
      ...operation,
      parameters: parameters.map((parameter) => filled(parameter, given[parameter.name])),
      ...(requestBody && { requestBody: filledBody(requestBody, body) }),
    };
  };
  const shown = (path, method, { requestBody, ...operation }) => {
    const whole = {
      ...operation,
      parameters: (operation.parameters ?? []).map(resolved),
      ...(requestBody && { requestBody: withoutCondition(requestBody) }),
    };
    const used = examples ? filledIn(whole) : whole;
    return { ...used, 'x-codeSamples': samplesOf(servers[0], path, method, used) };
  };
  const paths = Object.entries(interfacePaths(contract.paths)).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, shown(path, method, operation)]),
    ),
  ]);
  return { ...contract, servers, paths: Object.fromEntries(paths) };
}
