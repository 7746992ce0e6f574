/** The most that a browser keeps. */
export const MOST = { terminals: 500_000, branches: 200_000 };
