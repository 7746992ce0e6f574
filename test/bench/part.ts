/** A row of a table, by column. */
export type Row = Record<string, string | number>;

/** Some rows, and what they tell. */
interface Table {
  title: string;
  rows: Row[];
}

/** A picture of a part's main finding. */
export interface Chart {
  title: string;
  /** What the values are, with their unit. */
  unit: string;
  kind: 'bars' | 'lines';
  categories: string[];
  series: { name: string; values: number[] }[];
  /** Values grow by factors. */
  isLogarithmic?: boolean;
}

/** What a part promises, and what came of it. */
export interface Target {
  target: string;
  measured: string;
  isMet: boolean;
  /** It rests on times, which differ from run to run: told, but no reason to fail. */
  isTime?: boolean;
}

/** What a part of the bench found. */
export interface Result {
  tables: Table[];
  chart?: Chart;
  targets: Target[];
  /** Figures that are the same on every machine, each under a name that makes a sentence: they may not change unnoticed. */
  counts: Record<string, number>;
  /** The same for bytes of code, which change with every line: they may not grow by much. */
  bytes?: Record<string, number>;
  /** What is to be known for reading it, one sentence or more each. */
  notes?: string[];
}

export interface Options {
  /** How many fresh processes the time of a cold start is the median of. */
  runs: number;
  /** Only the gates matter, so a time may be that of a single call. */
  check: boolean;
}

/** A part of the bench. */
export interface Part {
  title: string;
  /** What is measured, and how, in a sentence or two. */
  about: string;
  measure: (options: Options) => Promise<Result>;
}
