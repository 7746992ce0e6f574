import { figure, type Row } from './tables.ts';

export type { Row } from './tables.ts';

/** Some rows with a title. */
interface Table {
  title: string;
  rows: Row[];
}

/** A target of a part, and its result. */
export interface Target {
  target: string;
  measured: string;
  isMet: boolean;
  /** Whether it depends on times, which differ from run to run. It is reported but cannot fail a check. */
  isTime?: boolean;
}

/** Figures by names that complete a sentence. */
export type Figures = Record<string, number>;

/** The results of a part of the bench. */
export interface Result {
  tables: Table[];
  targets: Target[];
  /** Figures that are the same on every machine. A change fails the check. */
  counts: Figures;
  /** The same for bytes of code, which change with every line. Only substantial growth fails the check. */
  bytes?: Figures;
  /** Notes for the reader, one sentence or more each. */
  notes?: string[];
}

export interface Options {
  /** The number of fresh processes of which a cold start is the median. */
  runs: number;
  /** Only gates matter: parts leave out what takes long and is none. */
  check: boolean;
}

/** A part of the bench. */
export interface Part {
  title: string;
  /** What is measured and how, in a sentence or two. */
  about: string;
  measure: (options: Options) => Promise<Result>;
  /** Whether a check leaves out some counts, because they take long and would show no more. */
  isSampled?: boolean;
}

/** Counts of something: its figures by the name of both. */
export const countsOf = (what: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${what}: ${name}`, value]));

/** A target that a figure is at most so large. */
export const atMost = (most: number, what: string, measured: number, isTime?: boolean): Target => ({
  target: `${what}: at most ${figure(most)}`,
  measured: figure(measured),
  isMet: measured <= most,
  ...(isTime && { isTime }),
});
