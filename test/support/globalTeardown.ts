/** Ends the DynamoDB Local that globalSetup started. */
export default async function globalTeardown(): Promise<void> {
  await (globalThis as { stopEngine?: () => Promise<void> }).stopEngine?.();
}
