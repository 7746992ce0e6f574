import type { Request } from '../../support/api.ts';

/** A place in a JSON value: a JSON Pointer (RFC 6901) of names that need no escape. */
export type Place = string;

/** Every field of a body and every item of its lists, at any depth, but not the whole body. */
export const placesIn = (value: unknown): Place[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [`/${key}`, ...placesIn(each).map((place) => `/${key}${place}`)])
    : [];

/** Marks the value to be replaced. No request contains it. */
const HERE = '\u0007here\u0007';

/** A copy of a value with another one at a path, whose missing objects are added. */
export const replaced = (value: unknown, [key, ...rest]: string[], by: unknown): unknown => {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
};

/**
 * A body's JSON text with other JSON text in one place, such as numbers in a spelling that JavaScript would not write.
 */
export const withJson = (body: Request['body'], place: Place, json: string): string =>
  JSON.stringify(replaced(body, place.split('/').slice(1), HERE)).replace(JSON.stringify(HERE), () => json);

/** The name of the field at a place. List items have the name of their list. */
export const fieldOf = (place: Place): string => place.split('/').findLast((key) => !/^\d+$/.test(key)) ?? '';

/** The value at a place. */
export const valueAt = (value: unknown, place: Place): unknown =>
  place
    .split('/')
    .slice(1)
    .reduce<unknown>((each, key) => (each as Record<string, unknown>)[key], value);
