import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** Names of the parts of an event that differ from those of a request. */
const PARTS: Record<string, string> = { pathParameters: 'path', queryStringParameters: 'query' };

/**
 * Wraps an event and records every place that is read, set or not: `path.mid`, `body.terminals.0.serial_no`. Ignores
 * what the chain itself adds to the event.
 */
export function watched(event: APIGatewayProxyEventV2): { event: APIGatewayProxyEventV2; places: Set<string> } {
  const places = new Set<string>();
  const added = new Set<string | symbol>();

  const watch = <T extends object>(value: T, prefix = ''): T => {
    /**
     * Reads a member. Objects are watched in turn and are no places themselves; neither are members that any object or
     * list has.
     */
    const look = (name: string | symbol): unknown => {
      const found = Reflect.get(value, name);
      const isInherited = !Object.hasOwn(value, name) && name in value;
      if (typeof name === 'symbol' || isInherited || ['length', 'toJSON'].includes(name)) return found;
      if (prefix === '' && added.has(name)) return found;
      const place = prefix + (PARTS[name] ?? name);
      if (typeof found === 'object' && found !== null) return watch(found, `${place}.`);
      places.add(place);
      return found;
    };
    return new Proxy(value, {
      get: (_, name) => look(name),
      has: (_, name) => look(name) !== undefined || name in value,
      set(_, name, changed) {
        if (!(name in value)) added.add(name);
        return Reflect.set(value, name, changed);
      },
    });
  };
  return { event: watch(event), places };
}
