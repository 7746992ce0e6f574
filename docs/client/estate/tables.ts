import { apply, type Event, type Terminal as ListedTerminal } from '../apply.ts';
import { RowColumn, TextColumn, TextKeyColumn, TimeColumn, UuidColumn, WordColumn } from './columns.ts';
import type { Branch, Terminal } from './criteria.ts';
import { idWord, nameWords } from './search.ts';
import { SHOWN, Table } from './table.ts';

/** A change of one's own, as the response to it shows it, and when it was made, by the clock of the service. */
export interface Noted {
  terminal?: ListedTerminal;
  branch?: Branch;
  deletedTid?: string;
  at: string;
}

/** Terminals refer to branches, also to new ones, so they are packed first. */
const TABLES = ['terminals', 'branches'] as const;
type TableName = (typeof TABLES)[number];

/** All branches and terminals of an acquirer: a copy to which `apply` applies events, with own changes on top. */
export class EstateTables {
  protected readonly ofBranch = {
    mid: new TextKeyColumn(),
    merchant_name: new TextColumn(),
    area: new WordColumn(),
    city: new WordColumn(),
    master_merchant_name: new WordColumn(),
    master_merchant_id: new WordColumn(),
    status: new WordColumn(),
    created_at: new TimeColumn(),
    updated_at: new TimeColumn(),
    archived_at: new TimeColumn(),
  };
  /** The words by which a branch is found, but for its MID. */
  protected readonly wordsOfBranch = new TextColumn();
  /** Those of a text that many branches have. */
  readonly #known = new Map<string | null, string>();
  readonly branches = new Table<Branch>({
    key: this.ofBranch.mid,
    columns: this.ofBranch,
    derived: { column: this.wordsOfBranch, textOf: (branch) => this.#branchWords(branch) },
    isReferred: true,
    onChange: (row) => this.changeBranch(row),
  });
  protected readonly ofTerminal = {
    tid: new UuidColumn(),
    terminal_id: new TextColumn(),
    serial_no: new TextColumn(),
    terminal_model: new WordColumn(),
    payment_app: new WordColumn(),
    acquirer_name: new WordColumn(),
    mid: new RowColumn({
      keyOf: (row) => this.ofBranch.mid.get(row),
      rowOf: (mid) => this.branches.heldRow(mid),
    }),
    status: new WordColumn(),
    created_at: new TimeColumn(),
    updated_at: new TimeColumn(),
    archived_at: new TimeColumn(),
    archive_reason: new WordColumn(),
    last_seen_at: new TimeColumn(),
  };
  readonly terminals = new Table<Terminal>({
    key: this.ofTerminal.tid,
    columns: this.ofTerminal,
    onChange: (row) => this.changeTerminal(row),
  });
  /** The chunks of terminals of which only times last seen may have changed since they were packed. */
  readonly #seen = new Set<number>();
  /** Changes whenever something that is shown does. */
  version = 0;

  #branchWords({ merchant_name, area, city, master_merchant_name, master_merchant_id }: Branch): string {
    const known = (text: string | null) => {
      const words = this.#known.get(text) ?? nameWords(text);
      this.#known.set(text, words);
      return words;
    };
    const shared = [area, city, master_merchant_name].map(known);
    return [idWord(master_merchant_id), nameWords(merchant_name), ...shared].join('');
  }

  protected changeBranch(_row: number): void {
    this.version += 1;
  }

  protected changeTerminal(_row: number): void {
    this.version += 1;
  }

  /** Removes what the feed has said. */
  clear(): void {
    this.#withoutOwn(() => {
      this.terminals.clear();
      this.branches.clear();
    });
    this.#seen.clear();
  }

  /** What the feed says of the terminals of a branch. */
  terminalsOf(mid: string): Terminal[] {
    const tids = new Set([...this.#shownOf(mid).map(({ tid }) => tid), ...this.terminals.own()]);
    return [...tids].flatMap((tid) => this.terminals.get(tid) ?? []).filter((terminal) => terminal.mid === mid);
  }

  #shownOf(mid: string): Terminal[] {
    const branch = this.branches.rowOf(mid);
    const { rows } = this.ofTerminal.mid;
    const found: Terminal[] = [];
    for (let row = 0; branch !== -1 && row < this.terminals.end; row += 1)
      if (rows[row] === branch && this.terminals.states[row] === SHOWN) found.push(this.terminals.at(row) as Terminal);
    return found;
  }

  /** Shows a change of one's own until the feed has passed it. */
  note({ terminal, branch, deletedTid, at }: Noted): void {
    if (branch) this.#noteBranch(branch, at);
    if (terminal) this.terminals.note(terminal.tid, at, terminal);
    if (deletedTid !== undefined) this.terminals.note(deletedTid, at, undefined);
  }

  /** Archiving and restoring a branch changes its terminals too. */
  #noteBranch(branch: Branch, at: string): void {
    const before = this.branches.at(this.branches.rowOf(branch.mid));
    this.branches.note(branch.mid, at, branch);
    if (!before || before.status === branch.status) return;
    const shown = this.#shownOf(branch.mid);
    const terminals = new Map<string, ListedTerminal>(shown.map((terminal) => [terminal.tid, terminal]));
    const type = branch.status === 'archived' ? 'branch.archived' : 'branch.restored';
    const event = { type, at, branch, data: branch, changes: { archived_at: before.archived_at } };
    apply({ branches: new Map(), terminals, cursor: '' }, event as unknown as Event);
    for (const terminal of shown) {
      const changed = terminals.get(terminal.tid);
      if (changed !== terminal) this.terminals.note(terminal.tid, at, changed);
    }
  }

  /** Ends own changes that were made before a time. */
  pass(completeTo: string): void {
    this.branches.pass(completeTo);
    this.terminals.pass(completeTo);
  }

  /** Notes when a terminal was last seen, which most terminals change each hour. Its chunk need not be packed at once. */
  see(tid: string, last_seen_at: string): void {
    const terminal = this.terminals.get(tid);
    if (terminal && last_seen_at > (terminal.last_seen_at ?? ''))
      this.terminals.set(tid, { ...terminal, last_seen_at }, this.#seen);
  }

  /**
   * The chunks of a table that have changed since they were packed, by their names. Pack those of terminals first.
   *
   * @param options.isSeen Also those of which only times last seen have.
   */
  unstored(of: TableName, { isSeen }: { isSeen: boolean }): string[] {
    const seen = isSeen && of === 'terminals' ? this.#seen : [];
    return [...new Set([...this[of].unstored, ...seen])].map((chunk) => `${of}${chunk}`);
  }

  #withoutOwn<T>(work: () => T): T {
    // Own terminals come back last, because they refer to branches.
    return this.terminals.withoutOwn(() => this.branches.withoutOwn(work));
  }

  /**
   * What the feed says of the rows of chunks, as JSON.
   *
   * @param names By default, those that have changed since they were packed.
   */
  pack(
    names: readonly string[] = TABLES.flatMap((of) => this.unstored(of, { isSeen: true })),
  ): [name: string, json: string][] {
    return this.#withoutOwn(() =>
      names.map((name) => {
        const [table, chunk] = this.#chunkOf(name);
        table.unstored.delete(chunk);
        if (table === this.terminals) this.#seen.delete(chunk);
        return [name, table.pack(chunk)];
      }),
    );
  }

  /** Takes packed chunks. They must be those of one time, or all that has changed since the last ones were taken. */
  unpack(chunks: Iterable<readonly [name: string, json: string]>): void {
    this.#withoutOwn(() => {
      for (const [name, json] of chunks) {
        const [table, chunk] = this.#chunkOf(name);
        table.unpack(chunk, json);
      }
    });
  }

  #chunkOf(name: string): [Table<Branch> | Table<Terminal>, chunk: number] {
    const [, of, chunk] = /^(branches|terminals)(\d+)$/.exec(name) ?? [];
    if (!of) throw new RangeError(`${name} is no chunk.`);
    return [this[of as TableName], Number(chunk)];
  }
}
