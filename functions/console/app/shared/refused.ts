/** The value at a path such as `terminals.0.serial_no`. */
const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

/** The refused fields that still have the values that were sent: a correction is no longer marked. */
export const stillRefused = (refused: Record<string, string>, sent: unknown, now: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(refused).filter(([path]) => valueAt(sent, path) === valueAt(now, path)));
