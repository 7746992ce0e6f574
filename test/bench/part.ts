/** A row of a table, by column. */
export type Row = Record<string, string | number>;

/** Some rows with a title. */
interface Table {
  title: string;
  rows: Row[];
}

/** A picture of a part's main finding. */
export interface Chart {
  title: string;
  /** The meaning of the values, with their unit. */
  unit: string;
  kind: 'bars' | 'lines';
  categories: string[];
  series: { name: string; values: number[] }[];
  /** Whether the axis is logarithmic. */
  isLogarithmic?: boolean;
}

/** A target of a part, and its result. */
export interface Target {
  target: string;
  measured: string;
  isMet: boolean;
  /** Whether it depends on times, which differ from run to run. It is reported but cannot fail a check. */
  isTime?: boolean;
}

/** The results of a part of the bench. */
export interface Result {
  tables: Table[];
  chart?: Chart;
  targets: Target[];
  /** Figures that are the same on every machine, by names that complete a sentence. A change fails the check. */
  counts: Record<string, number>;
  /** The same for bytes of code, which change with every line. Only substantial growth fails the check. */
  bytes?: Record<string, number>;
  /** Notes for the reader, one sentence or more each. */
  notes?: string[];
}

export interface Options {
  /** The number of fresh processes of which a cold start is the median. */
  runs: number;
  /** Only the gates matter, so a time can be that of a single call. */
  check: boolean;
}

/** A part of the bench. */
export interface Part {
  title: string;
  /** What is measured and how, in a sentence or two. */
  about: string;
  measure: (options: Options) => Promise<Result>;
}
