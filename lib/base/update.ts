/** The fields of an update: `null` clears a field; if absent, it is unchanged. */
export type Update<T extends object> = { [K in keyof T]?: T[K] | null | undefined };

/**
 * Returns what an update changes of a resource as responses show it: the attributes to set, `undefined` where one is
 * cleared, and the fields' values before. `undefined` if nothing changes.
 */
export function differences<T extends object>(
  shown: object,
  update: Update<T>,
): { set: Partial<T>; changes: Record<string, unknown> } | undefined {
  const before = shown as Record<string, unknown>;
  const changed = Object.entries(update).filter(([name, value]) => value !== undefined && value !== before[name]);
  if (changed.length === 0) return undefined;
  return {
    set: Object.fromEntries(changed.map(([name, value]) => [name, value ?? undefined])) as Partial<T>,
    changes: Object.fromEntries(changed.map(([name]) => [name, before[name]])),
  };
}
