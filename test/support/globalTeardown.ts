import { superfluous } from './grants.ts';

/**
 * Stops what globalSetup started.
 *
 * @throws Error if all tests ran and a grant was needed by none.
 */
export default async function globalTeardown(
  _: unknown,
  { displayName }: { displayName: { name: string } },
): Promise<void> {
  for (const stop of (globalThis as unknown as { stops: (() => Promise<void>)[] }).stops) await stop();
  const found = superfluous(displayName.name);
  if (found.length > 0)
    throw new Error(
      `No test needs these grants: ${found.join('; ')}. Remove them from infra/stack/functions.yml or infra/operate/policies/operators.ts, or test what they are for.`,
    );
}
