const { DEEP, SEED } = process.env;

/** Whether proofs run at their full sizes, which takes minutes: if `DEEP` is set. */
export const deep = Boolean(DEEP);

/** A number of runs of a random proof: `push` on every push, and `deepFactor` times as many if {@link deep}. */
export const runs = (push: number, deepFactor = 20): number => push * (deep ? deepFactor : 1);

/** The seed of random proofs, which a failed one prints: that of `SEED`, or a new one. */
export const seed = Number(SEED ?? Date.now() % 2 ** 31);
