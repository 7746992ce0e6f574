/** Stops what globalSetup started. */
export default async function globalTeardown(): Promise<void> {
  for (const stop of (globalThis as unknown as { stops: (() => Promise<void>)[] }).stops) await stop();
}
