import type { JSONObject } from '@modelcontextprotocol/server';

/** An operation as an assistant calls it. infra/stack/assistants/tools.ts makes all of docs/openapi.json. */
export interface Tool {
  /** The name of the operation. */
  name: string;
  title: string;
  description: string;
  /** The roles of API keys that permit it. */
  roles: string[];
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters in braces. */
  path: string;
  /** Where the operation has each argument. */
  places: Record<string, Place>;
  /** JSON Schema of the arguments. A change has {@link CONFIRM} too. */
  inputSchema: { type: 'object'; properties: JSONObject; required: string[] };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
}

export interface Place {
  in: 'path' | 'query' | 'body';
  name: string;
}

/** The argument without which a change is only validated. */
export const CONFIRM = 'confirm';

export const isChange = ({ method }: Pick<Tool, 'method'>): boolean => method !== 'GET';

/** The request of an operation. */
export interface OperationRequest {
  method: string;
  path: string;
  body: object | undefined;
}

/** Arguments that no request can be made of. The message is for the assistant. */
export class ArgumentError extends Error {}

/** What a path can have: MIDs, UUIDs and names of lists. Nothing else can lead to another operation. */
const SEGMENT = /^[\w-]{1,64}$/;

/**
 * Makes the request of a tool's operation. The operation itself validates what is in the query and the body.
 *
 * @throws ArgumentError
 */
export function requestOf(tool: Tool, args: Record<string, unknown>): OperationRequest {
  const unknown = Object.keys(args).filter((name) => name !== CONFIRM && !Object.hasOwn(tool.places, name));
  if (unknown.length > 0) {
    const known = Object.keys(tool.inputSchema.properties).join(', ');
    throw new ArgumentError(`${tool.name} has ${known ? `only these arguments: ${known}` : 'no arguments'}.`);
  }
  const query = new URLSearchParams(isChange(tool) && args[CONFIRM] !== true ? { validate_only: 'true' } : {});
  const body: Record<string, unknown> = {};
  let { path } = tool;
  for (const [argument, { in: where, name }] of Object.entries(tool.places)) {
    const value = args[argument];
    if (where === 'path') path = path.replace(`{${name}}`, segmentOf(argument, value));
    else if (value === undefined) continue;
    else if (where === 'query') query.set(name, textOf(argument, value));
    else body[name] = value;
  }
  const hasBody = Object.values(tool.places).some((place) => place.in === 'body');
  return { method: tool.method, path: query.size > 0 ? `${path}?${query}` : path, body: hasBody ? body : undefined };
}

function segmentOf(argument: string, value: unknown): string {
  if (typeof value === 'string' && SEGMENT.test(value)) return value;
  throw new ArgumentError(`${argument} must be a text of letters, digits, hyphens and underscores.`);
}

function textOf(argument: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw new ArgumentError(`${argument} must be a text or a number.`);
}
