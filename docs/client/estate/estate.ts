import { fold } from '../../../lib/base/words.ts';
import type { TextColumn, WordColumn } from './columns.ts';
import type {
  Branch,
  BranchCriteria,
  BranchFacet,
  BranchRow,
  BranchSort,
  Column,
  Count,
  Criteria,
  Part,
  Row,
  Terminal,
  TerminalFacet,
} from './criteria.ts';
import { countPassing, countsOf, type Facet, type Passes, passesOf, passing, seenValue } from './facets.ts';
import { type Order, placesIn, sortedBy, TextOrder } from './orders.ts';
import { idWord, plainId, type Search, searchFor } from './search.ts';
import { SHOWN } from './table.ts';
import { EstateTables } from './tables.ts';
import { Words } from './words.ts';

export type * from './criteria.ts';
export type { Noted } from './tables.ts';

/** How many results are kept. Each takes 0.5 to 4 MB. */
const MOST_MADE = 24;
/** How many terminals are measured to know how wide columns are. */
const MEASURED = 10_000;
const SEEN = ['', 'week', 'never'];
const USED = ['none', 'some'];

/**
 * All branches and terminals of an acquirer in memory, filtered, counted, sorted and searched at once. 500,000 terminals in
 * 200,000 branches take about 200 MB.
 */
export class Estate extends EstateTables {
  /** What was made of this version, by name. */
  readonly #made = new Map<string, unknown>();

  readonly #ids = new Words((row) => {
    if (this.terminals.states[row] !== SHOWN) return '';
    return `${idWord(this.ofTerminal.terminal_id.get(row))}${idWord(this.ofTerminal.serial_no.get(row))}`;
  });
  readonly #words = new Words((row) => `${idWord(this.ofBranch.mid.get(row))}${this.wordsOfBranch.get(row) ?? ''}`);
  readonly #byId = new TextOrder((row) => this.#textOf(row, this.ofTerminal.terminal_id));
  readonly #bySerial = new TextOrder((row) => this.#textOf(row, this.ofTerminal.serial_no));
  readonly #byMid = new TextOrder((row) => this.ofBranch.mid.get(row) ?? undefined);
  readonly #byName = new TextOrder((row) => {
    const mid = this.ofBranch.mid.get(row);
    return mid === null ? undefined : fold(this.ofBranch.merchant_name.get(row) ?? '');
  });
  readonly #byLabel = new TextOrder((row) => {
    const mid = this.ofBranch.mid.get(row);
    return mid === null ? undefined : fold(this.ofBranch.merchant_name.get(row) ?? mid);
  });

  protected override changeTerminal(row: number): void {
    this.#change();
    this.#ids.change(row);
    this.#byId.change(row);
    this.#bySerial.change(row);
  }

  protected override changeBranch(row: number): void {
    this.#change();
    this.#words.change(row);
    for (const order of [this.#byMid, this.#byName, this.#byLabel]) order.change(row);
  }

  #change(): void {
    this.version += 1;
    if (this.#made.size > 0) this.#made.clear();
  }

  /** What was made before of the same version, or is made now. What was not used for longest is forgotten. */
  #once<T>(name: string, make: () => T): T {
    const made = this.#made.has(name) ? (this.#made.get(name) as T) : make();
    this.#made.delete(name);
    this.#made.set(name, made);
    for (const oldest of this.#made.keys()) if (this.#made.size > MOST_MADE) this.#made.delete(oldest);
    return made;
  }

  #textOf(row: number, { texts }: TextColumn): string | undefined {
    return this.terminals.states[row] === SHOWN ? (texts[row]?.toUpperCase() ?? '') : undefined;
  }

  /** Makes some of what searching needs, so that the first search need not wait. Returns whether there is more to do. */
  prepare(): boolean {
    return this.#ids.prepare(this.terminals.end) || this.#words.prepare(this.branches.end);
  }

  #rowAt = (row: number): Row => ({
    terminal: this.terminals.at(row) as Terminal,
    branch: this.branches.at(this.ofTerminal.mid.rows[row] as number),
  });

  /** The numbers of the shown terminals that have some TIDs. */
  #numbersOf(tids: readonly string[]): number[] {
    return tids.map((tid) => this.terminals.rowOf(tid)).filter((row) => this.terminals.states[row] === SHOWN);
  }

  /** The terminals that have some TIDs, in an order if there is one. */
  rowsOf(tids: readonly string[], sort?: Criteria['sort']): Row[] {
    const rows = this.#numbersOf(tids);
    if (!sort) return rows.map(this.#rowAt);
    const marks = marksOf(Uint32Array.from(rows), this.terminals.end);
    const all = { isDescending: sort.isDescending, from: 0, to: rows.length };
    return passing(this.#terminalOrder(sort.by), marks, all).map(this.#rowAt);
  }

  branch(mid: string): Branch | undefined {
    return this.branches.at(this.branches.rowOf(mid));
  }

  /** 1 for each terminal that has a text, or whose branch has it. */
  #terminalsWith = (sought: string): Uint8Array => {
    const { states, end } = this.terminals;
    const marks = marksOf(this.#ids.find(sought, end), end);
    const found = this.#words.find(sought, this.branches.end);
    const branches = marksOf(found, this.branches.end);
    const { rows } = this.ofTerminal.mid;
    for (let row = 0; found.length > 0 && row < end; row += 1)
      if (branches[rows[row] as number] === 1 && states[row] === SHOWN) marks[row] = 1;
    return marks;
  };

  /** 1 for each branch that has a text. */
  #branchesWith = (sought: string): Uint8Array => {
    const { states, end } = this.branches;
    const isShown = (row: number) => states[row] === SHOWN;
    return marksOf(this.#words.find(sought, end).filter(isShown), end);
  };

  #foundTerminals(text: string): Uint8Array {
    return this.#once(`terminals with ${text}`, () => {
      const search = searchFor(text);
      const found = foundBy(search, this.#terminalsWith, this.terminals);
      for (const row of this.#numbersOf(search.tid === undefined ? [] : [search.tid])) found[row] = 1;
      return found;
    });
  }

  #foundBranches(text: string): Uint8Array {
    return this.#once(`branches with ${text}`, () => foundBy(searchFor(text), this.#branchesWith, this.branches));
  }

  /** Says by its MID whether a branch has a text. */
  branchFinder(text: string): (mid: string) => boolean {
    const found = this.#foundBranches(text);
    return (mid) => found[this.branches.rowOf(mid)] === 1;
  }

  /** The facets at a time, in milliseconds since 1970. */
  #terminalFacets(now: number): Record<TerminalFacet, Facet> {
    const { terminal_model, payment_app, acquirer_name, status, mid } = this.ofTerminal;
    const cities = this.ofBranch.city.codes;
    const { end } = this.terminals;
    return {
      status: facetOf(status),
      city: {
        ...facetOf(this.ofBranch.city),
        codes: this.#once('cities', () => codesBy(end, (row) => cities[mid.rows[row] as number] as number)),
      },
      branch: {
        codes: mid.rows,
        end: this.branches.end,
        valueOf: (row) => this.ofBranch.mid.get(row) ?? '',
        codeOf: (value) => this.branches.rowOf(value),
      },
      terminal_model: facetOf(terminal_model),
      payment_app: facetOf(payment_app),
      acquirer_name: facetOf(acquirer_name),
      seen: enumerated(
        SEEN,
        this.#once(`seen at ${now}`, () => this.#seenAt(now)),
      ),
    };
  }

  #seenAt(now: number): Uint32Array {
    const { last_seen_at, status } = this.ofTerminal;
    const active = status.codeOf('active');
    return codesBy(this.terminals.end, (row) =>
      SEEN.indexOf(seenValue(last_seen_at.times[row] as number, status.codes[row] === active, now)),
    );
  }

  #branchFacets(): Record<BranchFacet, Facet> {
    const { status, city, master_merchant_id } = this.ofBranch;
    return {
      status: facetOf(status),
      city: facetOf(city),
      business: facetOf(master_merchant_id),
      terminals: enumerated(
        USED,
        this.#active().map((count) => Math.min(1, count)),
      ),
    };
  }

  /** How many active terminals each branch has. */
  #active(): Uint32Array {
    return this.#once('active', () => {
      const counts = new Uint32Array(this.branches.end);
      const { status, mid } = this.ofTerminal;
      const active = status.codeOf('active');
      for (let row = 0; row < this.terminals.end; row += 1)
        if (this.terminals.states[row] === SHOWN && status.codes[row] === active)
          (counts[mid.rows[row] as number] as number) += 1;
      return counts;
    });
  }

  #passingTerminals({ text, filters }: Omit<Criteria, 'sort'>, now: number): Passes {
    return this.#once(`passing ${JSON.stringify([text, filters, filters.seen && now])}`, () =>
      passesOf(this.#foundTerminals(text), this.#terminalFacets(now), filters),
    );
  }

  #passingBranches({ text, filters }: Omit<BranchCriteria, 'sort'>): Passes {
    return this.#once(`branches passing ${JSON.stringify([text, filters])}`, () =>
      passesOf(this.#foundBranches(text), this.#branchFacets(), filters),
    );
  }

  #terminalOrder(by: Column): Order {
    return this.#once(`order by ${by}`, () => {
      const { end, states } = this.terminals;
      const { mid, [by as 'status']: column } = this.ofTerminal;
      if (by === 'terminal_id') return this.#byId.get(end);
      // Of terminals with the same time, the order of their IDs would tell nothing.
      if (by === 'last_seen_at' || by === 'updated_at') {
        const rows = codesBy(end, (row) => row).filter((row) => states[row] === SHOWN);
        return sortedBy(rows, this.ofTerminal[by].times);
      }
      const numbers = new Float64Array(end);
      const fill = (of: (row: number) => number) => {
        for (let row = 0; row < end; row += 1) numbers[row] = of(row);
      };
      if (by === 'serial_no') numbers.set(placesIn(this.#bySerial.get(end), end));
      else if (by === 'branch') {
        const places = placesIn(this.#byLabel.get(this.branches.end), this.branches.end);
        fill((row) => places[mid.rows[row] as number] as number);
      } else if (by === 'city') {
        const places = wordPlaces(this.ofBranch.city);
        const { codes } = this.ofBranch.city;
        fill((row) => places[codes[mid.rows[row] as number] as number] as number);
      } else {
        const places = wordPlaces(column);
        fill((row) => places[column.codes[row] as number] as number);
      }
      return sortedBy(this.#byId.get(end).rows, numbers);
    });
  }

  #branchOrder(sort: BranchSort): Order {
    return this.#once(`branches by ${sort}`, () => {
      const { end } = this.branches;
      const { created_at, city } = this.ofBranch;
      const byMid = this.#byMid.get(end).rows;
      const places = wordPlaces(city);
      const numbers = new Float64Array(end);
      const active = this.#active();
      const numberOf: Record<BranchSort, (row: number) => number> = {
        desc: (row) => Number.MAX_SAFE_INTEGER - (created_at.times[row] as number),
        asc: (row) => created_at.times[row] as number,
        name: () => Number.NaN,
        city: (row) => places[city.codes[row] as number] as number,
        terminals: (row) => Number.MAX_SAFE_INTEGER - (active[row] as number),
      };
      if (sort === 'name') return sortedBy(byMid, placesIn(this.#byName.get(end), end));
      for (let row = 0; row < end; row += 1) numbers[row] = numberOf[sort](row);
      return sortedBy(byMid, numbers);
    });
  }

  /** Those terminals of all that criteria ask for, in their order, from one place to another. */
  #terminalsFrom(criteria: Criteria, part: Part, now: number): number[] {
    const { by, isDescending } = criteria.sort;
    return passing(this.#terminalOrder(by), this.#passingTerminals(criteria, now), { isDescending, ...part });
  }

  /** The terminals that criteria ask for, in their order: how many there are, and those from one place to another. */
  terminalsIn(criteria: Criteria, part: Part, now = Date.now()): { total: number; rows: Row[] } {
    const rows = this.#terminalsFrom(criteria, part, now).map(this.#rowAt);
    return { total: countPassing(this.#passingTerminals(criteria, now)), rows };
  }

  /** The TIDs of the same. */
  tidsIn(criteria: Criteria, part: Part, now = Date.now()): string[] {
    return this.#terminalsFrom(criteria, part, now).map((row) => this.ofTerminal.tid.get(row));
  }

  /** How many terminals have each value of a facet under the text and all other filters, the most first. */
  countTerminals(criteria: Omit<Criteria, 'sort'>, facet: TerminalFacet, now = Date.now()): Count[] {
    const facets = this.#terminalFacets(now);
    return listed(countsOf(this.#passingTerminals(criteria, now), facets, facet), facets[facet]);
  }

  /** The branches that criteria ask for, in their order: how many there are, and some of them. */
  branchesIn(criteria: BranchCriteria, part: Part): { total: number; rows: BranchRow[] } {
    const passes = this.#passingBranches(criteria);
    const active = this.#active();
    const rowAt = (row: number) => ({ branch: this.branches.at(row) as Branch, active: active[row] as number });
    const rows = passing(this.#branchOrder(criteria.sort), passes, part).map(rowAt);
    return { total: countPassing(passes), rows };
  }

  /** The MIDs of all branches that criteria ask for, in their order. */
  midsIn({ sort, ...criteria }: BranchCriteria): string[] {
    const all = { from: 0, to: this.branches.size };
    const rows = passing(this.#branchOrder(sort), this.#passingBranches(criteria), all);
    return rows.map((row) => this.ofBranch.mid.get(row) as string);
  }

  countBranches(criteria: Omit<BranchCriteria, 'sort'>, facet: BranchFacet): Count[] {
    const facets = this.#branchFacets();
    return listed(countsOf(this.#passingBranches(criteria), facets, facet), facets[facet]);
  }

  /** What to call businesses, by their IDs: their names, with the ID if others have the name too. */
  businessNames(ids: readonly string[]): [id: string, name: string][] {
    const { names, counts } = this.#once('businesses', () => {
      const { master_merchant_id, master_merchant_name, mid } = this.ofBranch;
      const names = new Map<string, string>();
      for (let row = 0; row < this.branches.end; row += 1) {
        const id = master_merchant_id.get(row);
        if (id !== null && mid.get(row) !== null) names.set(id, master_merchant_name.get(row) ?? id);
      }
      const counts = new Map<string, number>();
      for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
      return { names, counts };
    });
    return ids.map((id) => {
      const name = names.get(id) ?? id;
      return [id, (counts.get(name) ?? 0) > 1 ? `${name} (${id})` : name];
    });
  }

  /** The cities where some businesses have branches, by their IDs. */
  citiesOf(businesses: readonly string[]): Map<string, Set<string>> {
    const { master_merchant_id, city } = this.ofBranch;
    const cities = new Map(businesses.map((id) => [id, new Set<string>()]));
    const byCode = new Map([...cities].map(([id, own]) => [master_merchant_id.codeOf(id), own]));
    for (let row = 0; row < this.branches.end; row += 1) {
      const name = this.branches.states[row] === SHOWN ? city.get(row) : null;
      if (name !== null) byCode.get(master_merchant_id.codes[row])?.add(name);
    }
    return cities;
  }

  /**
   * Finds terminals whose ID or serial number has a text: those that begin with it first, then active ones. A text without
   * a digit is a name of a branch rather, and finds nothing.
   */
  findByPart(text: string, most: number): { total: number; rows: Row[] } {
    const part = plainId(text);
    if (part.length < 2 || !/\p{N}/u.test(part)) return { total: 0, rows: [] };
    const { end } = this.terminals;
    const found = this.#ids.find(part, end);
    const beginning = marksOf(this.#ids.find(` ${part}`, end), end);
    const active = this.ofTerminal.status.codeOf('active');
    const ranked: number[][] = [[], [], [], []];
    for (const row of found) {
      const rank = 2 * Number(beginning[row] === 0) + Number(this.ofTerminal.status.codes[row] !== active);
      const same = ranked[rank] as number[];
      if (same.length < most) same.push(row);
    }
    return { total: found.length, rows: ranked.flat().slice(0, most).map(this.#rowAt) };
  }

  /** The TIDs of terminals by their ID, TID or serial number, of those that are asked for as {@link plainId}. */
  tidsByIds(wanted: ReadonlySet<string>): Map<string, string> {
    const { tid, terminal_id, serial_no } = this.ofTerminal;
    const found = new Map<string, string>();
    const rows = [...wanted].flatMap((id) => searchFor(id).tid ?? []);
    for (const { terminal } of this.rowsOf(rows)) found.set(plainId(terminal.tid), terminal.tid);
    for (let row = 0; row < this.terminals.end; row += 1) {
      if (this.terminals.states[row] !== SHOWN) continue;
      for (const { texts } of [serial_no, terminal_id]) {
        const id = texts[row];
        if (id && wanted.has(plainId(id))) found.set(plainId(id), tid.get(row));
      }
    }
    return found;
  }

  /** How many characters a part of all terminals has at most in a column, by some of them. */
  lengthIn(column: Exclude<Column, 'status' | 'last_seen_at' | 'updated_at'>, part: number): number {
    const { mid } = this.ofTerminal;
    const textOf = (row: number) => {
      if (column !== 'branch' && column !== 'city') return this.ofTerminal[column].get(row);
      const branch = mid.rows[row] as number;
      return column === 'city'
        ? this.ofBranch.city.get(branch)
        : (this.ofBranch.merchant_name.get(branch) ?? mid.get(row));
    };
    const { end, states } = this.terminals;
    const step = Math.ceil(end / MEASURED);
    const lengths: number[] = [];
    for (let row = 0; row < end; row += step) if (states[row] === SHOWN) lengths.push(textOf(row)?.length ?? 0);
    return lengths.sort((one, other) => one - other)[Math.floor(part * (lengths.length - 1))] ?? 0;
  }
}

function marksOf(rows: Uint32Array, end: number): Uint8Array {
  const marks = new Uint8Array(end);
  for (let at = 0; at < rows.length; at += 1) marks[rows[at] as number] = 1;
  return marks;
}

/** 1 for each row that a search finds. Without words, it finds all that are shown. */
function foundBy(
  { words, whole }: Search,
  having: (sought: string) => Uint8Array,
  { states, end }: { states: Uint8Array; end: number },
): Uint8Array {
  if (words.length === 0) return Uint8Array.from({ length: end }, (_, row) => Number(states[row] === SHOWN));
  const each = words.map(({ part, beginnings }) =>
    beginnings.length === 0 ? having(part) : either(having(part), beginnings.map(having).reduce(both)),
  );
  const all = each.reduce(both);
  return whole === undefined ? all : either(all, having(whole));
}

/** The first, with what is in the second too. */
function both(one: Uint8Array, other: Uint8Array): Uint8Array {
  for (let row = 0; row < one.length; row += 1) (one[row] as number) &= other[row] as number;
  return one;
}

function either(one: Uint8Array, other: Uint8Array): Uint8Array {
  for (let row = 0; row < one.length; row += 1) (one[row] as number) |= other[row] as number;
  return one;
}

function codesBy(end: number, codeOf: (row: number) => number): Uint32Array {
  const codes = new Uint32Array(end);
  for (let row = 0; row < end; row += 1) codes[row] = codeOf(row);
  return codes;
}

const facetOf = (column: WordColumn): Facet => ({
  codes: column.codes,
  end: column.words.length,
  valueOf: (code) => column.words[code] ?? '',
  codeOf: (value) => column.codeOf(value === '' ? null : value),
});

const enumerated = (values: string[], codes: Uint32Array): Facet => ({
  codes,
  end: values.length,
  valueOf: (code) => values[code] as string,
  codeOf: (value) => values.indexOf(value),
});

/** The values of a facet that rows have, the most first. */
const listed = (counts: Uint32Array, facet: Facet): Count[] =>
  [...counts.entries()]
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([code, count]) => [facet.valueOf(code), count]);

/** The place of each word of a column, in the order of words without case and accents; `NaN` for no word. */
function wordPlaces({ words }: WordColumn): Float64Array {
  const folded = words.map((word) => fold(word ?? ''));
  const sorted = [...new Set(folded)].filter((word) => word !== '').sort();
  const places = new Map(sorted.map((word, place) => [word, place]));
  return Float64Array.from(folded, (word) => places.get(word) ?? Number.NaN);
}
