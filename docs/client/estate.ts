import type { Branch, Copy, Terminal } from './apply.ts';
import type {
  BranchCriteria,
  BranchFacet,
  BranchRow,
  Count,
  Criteria,
  Part,
  Row,
  TerminalFacet,
} from './estate/criteria.ts';
import { Estate as ColumnEstate } from './estate/estate.ts';

export type * from './estate/criteria.ts';

/** Items by their keys, as in a `Map`. Each item that is read is a new object: `set` it to change it. */
export interface Items<Item> {
  readonly size: number;
  get(key: string): Item | undefined;
  set(key: string, item: Item): unknown;
  /** Returns whether there was such an item. */
  delete(key: string): boolean;
}

/**
 * All branches and terminals of an acquirer in memory, filtered, counted, sorted and searched at once. `apply` applies
 * events to it. It runs in Node.js, in browsers and in their workers. 500,000 terminals in 200,000 branches take about
 * 200 MB.
 *
 * A `now` is in milliseconds since 1970, by default the current time. It decides which terminals were last seen more
 * than seven days ago.
 */
export interface Estate extends Copy {
  /** By MID. */
  readonly branches: Items<Branch>;
  /** By TID. `set` throws a RangeError if the key is no UUID in lower case. */
  readonly terminals: Items<Terminal>;
  /** Grows with each change. */
  readonly version: number;

  /** Finds the terminals of a branch. */
  terminalsOf(mid: string): Terminal[];

  /** Finds the terminals that match criteria. Returns how many there are, and a part of them, in their order. */
  terminalsIn(criteria: Criteria, part: Part, now?: number): { total: number; rows: Row[] };

  /**
   * Counts the terminals with each value of a facet that match the text and all other filters. The most frequent value
   * comes first.
   */
  countTerminals(criteria: Omit<Criteria, 'sort'>, facet: TerminalFacet, now?: number): Count[];

  /** Finds the branches that match criteria. Returns how many there are, and a part of them, in their order. */
  branchesIn(criteria: BranchCriteria, part: Part): { total: number; rows: BranchRow[] };

  /** Counts branches as {@link countTerminals} counts terminals. */
  countBranches(criteria: Omit<BranchCriteria, 'sort'>, facet: BranchFacet): Count[];

  /**
   * Finds terminals by a part of their terminal ID or serial number: those that begin with it first, then active ones.
   * A text with fewer than two characters, or without a digit, finds nothing.
   *
   * @param most How many rows are returned at most.
   */
  findByPart(text: string, most: number): { total: number; rows: Row[] };

  /**
   * Packs what has changed since it was last packed, as JSON in chunks of 2,048 branches or terminals. Store each chunk
   * by its name, in place of the one before.
   */
  pack(): [name: string, json: string][];

  /** Takes chunks: all that are stored, or all that one call of {@link pack} has returned. */
  unpack(chunks: Iterable<readonly [name: string, json: string]>): void;
}

/** Creates an estate without branches and terminals. */
export const createEstate = (): Estate => new ColumnEstate();
