const { DEEP, SEED } = process.env;

/** Whether proofs run at their full sizes and with new seeds, which takes hours: if `DEEP` is set. */
export const deep = Boolean(DEEP);

/** A number of runs of a random proof: `push` on every push, and `deepFactor` times as many if {@link deep}. */
export const runs = (push: number, deepFactor = 20): number => push * (deep ? deepFactor : 1);

/**
 * The seed of random proofs, which a failed one prints: that of `SEED`, or a new one if {@link deep}. On a push, it is
 * always the same, so a proof has the same verdict each time.
 */
export const seed = Number(SEED ?? (deep ? Date.now() % 2 ** 31 : 1));
