/** What a rehearsal does with a stage. */
interface Steps {
  /** Verifies the stage. Returns the exit code. */
  verify: () => Promise<number>;
  /** Rolls the stage back, or to a deployment. Returns what it ran before: infra/deploy/rollback.ts. */
  rollBack: (to?: string) => Promise<{ from: string }>;
}

/**
 * Rehearses a rollback: verifies the stage, rolls it back, verifies it, rolls it forward again, and verifies it. A stage that
 * fails at first is not rolled back; one that fails or throws afterwards is rolled forward all the same.
 *
 * @returns The exit code: 0 if it passed each time.
 */
export async function rehearse({ verify, rollBack }: Steps): Promise<number> {
  const before = await verify();
  if (before !== 0) return before;
  const { from } = await rollBack();
  let between: number;
  try {
    between = await verify();
  } finally {
    await rollBack(from);
  }
  const after = await verify();
  return between || after;
}
