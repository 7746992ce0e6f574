import { readFileSync } from 'node:fs';
import type { JSONObject } from '@modelcontextprotocol/server';
import { CONFIRM, isChange, type Place, type Tool } from '../../../lib/assistants/tool.ts';

/*
 * The tools of assistants, made of the contract of partners. In a bundle, infra/stack/bundling.ts puts them in place of
 * this file.
 */

/**
 * Operations that no assistant is offered: what shows a secret of a webhook, and what needs the identifiers of a card. An
 * assistant's model would read both.
 */
const NO_TOOLS = ['createWebhook', 'rotateWebhookSecret', 'memberCheck'];

interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  'x-roles': string[];
  parameters: (
    | { name: string; in: 'path' | 'query'; description?: string; required?: true; schema: Schema }
    | { $ref: string }
  )[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, unknown>;
}

/** What an assistant needs of a schema. The operation checks the rest, such as patterns. */
const KEPT = [
  'type',
  'description',
  'enum',
  'format',
  'default',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'required',
];

const shortened = (schema: Schema): Schema => ({
  ...Object.fromEntries(Object.entries(schema).filter(([name]) => KEPT.includes(name))),
  ...(schema.items && { items: shortened(schema.items) }),
  ...(schema.properties && {
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, shortened(each)])),
  }),
});

interface Argument {
  place: Place;
  schema: Schema;
  isRequired: boolean;
}

/** The arguments of an operation: those of its path, then the fields of its body, then its query. */
function argumentsOf({ parameters, requestBody }: Operation): Argument[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {};
  const inBody = Object.entries(properties).map(
    ([name, schema]): Argument => ({ place: { in: 'body', name }, schema, isRequired: required.includes(name) }),
  );
  const others = (where: 'path' | 'query') =>
    parameters.flatMap((each): Argument[] => {
      // `confirm` is in place of `validate_only`. Parameters of headers are references.
      if ('$ref' in each || each.in !== where || each.name === 'validate_only') return [];
      const { name, description, required: isRequired = false, schema } = each;
      return [{ place: { in: where, name }, schema: { ...schema, ...(description && { description }) }, isRequired }];
    });
  return [...others('path'), ...inBody, ...others('query')];
}

const CONFIRM_SCHEMA = {
  type: 'boolean',
  default: false,
  description: 'Whether to make the change. Without it, the change is only checked. Ask the user first.',
};

function toolOf(path: string, method: Tool['method'], operation: Operation): Tool {
  const { operationId: name, summary: title, description, 'x-roles': roles, responses } = operation;
  const places: Tool['places'] = {};
  const properties: JSONObject = {};
  const required: string[] = [];
  for (const { place, schema, isRequired } of argumentsOf(operation)) {
    // Where a name is taken, such as the `reason` of an archived terminal.
    const argument = place.name in places ? `${place.in}_${place.name}` : place.name;
    if (argument in places || argument === CONFIRM) throw new Error(`${name} has two arguments ${argument}.`);
    places[argument] = place;
    properties[argument] = shortened(schema) as JSONObject;
    if (isRequired) required.push(argument);
  }
  const isRead = !isChange({ method });
  if (!isRead) properties[CONFIRM] = CONFIRM_SCHEMA;
  const [summary = ''] = description.split('\n\n');
  return {
    ...{ name, title, description: summary, roles, method, path, places },
    inputSchema: { type: 'object', properties, required },
    annotations: {
      readOnlyHint: isRead,
      // What creates something takes nothing away.
      destructiveHint: !isRead && !('201' in responses),
      idempotentHint: method !== 'POST',
      openWorldHint: false,
    },
  };
}

/** The tools of the contract docs/openapi.json, and its version. */
function toolsOf({ info, paths }: { info: { version: string }; paths: Record<string, Record<string, Operation>> }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => toolOf(path, method.toUpperCase() as Tool['method'], each)),
  );
  return { version: info.version, tools: operations.filter(({ name }) => !NO_TOOLS.includes(name)) };
}

const contract = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');

export const { version, tools } = toolsOf(JSON.parse(contract));
