/** The value below which a share of the values lies; 0 of none. */
export const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

export const median = (values: number[]): number => quantile(values, 0.5);
