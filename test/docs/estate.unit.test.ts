import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Branch,
  type Column,
  type Criteria,
  Estate,
  type Noted,
  type Terminal,
} from '../../docs/client/estate/estate.ts';
import { TextOrder } from '../../docs/client/estate/orders.ts';
import { plainId } from '../../docs/client/estate/search.ts';
import { fold } from '../../lib/base/words.ts';
import { runs, seed } from '../support/depth.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');

/* Few values, so that random changes meet. */
const MIDS = ['MID1', 'MID2', 'b7f3a1c0-1111-4222-8333-444455556666', 'MID4'];
const TIDS = Array.from({ length: 12 }, (_, at) => `0000000${at % 3}-0000-5000-8000-${`${at}`.padStart(12, '0')}`);
const time = fc.integer({ min: 0, max: 60 }).map((minute) => new Date(NOW - minute * 60_000).toISOString());
const among = <T>(...values: T[]) => fc.constantFrom(...values);
const status = among<'active' | 'archived'>('active', 'archived');

const branchOf = fc.record<Branch>({
  mid: among(...MIDS),
  merchant_name: among(null, 'Café Verde', 'Casa Verde', 'Łódź', 'مطعم'),
  area: among(null, 'Foz'),
  city: among(null, 'São João', 'Porto', 'Łódź'),
  master_merchant_name: among(null, 'Groß', 'Casa'),
  master_merchant_id: among('BIZ1', 'BIZ2'),
  status,
  created_at: time,
  updated_at: time,
  archived_at: fc.option(time),
});
const terminalOf = fc.record<Terminal>({
  tid: among(...TIDS),
  terminal_id: among('T0172', 'T0173', 'X1', 'x2', 'A10'),
  serial_no: among(null, 'SN1', 'SN22', '172'),
  terminal_model: among(null, 'PAX', 'Move'),
  payment_app: among(null, 'Nova'),
  acquirer_name: among(null, 'Bank', 'bánk'),
  mid: among(...MIDS, 'UNKNOWN'),
  status,
  created_at: time,
  updated_at: time,
  archived_at: fc.option(time),
  archive_reason: among(null, 'Lost'),
  last_seen_at: fc.option(among('2026-06-01T10:00:00.000Z', '2026-06-15T11:00:00.000Z')),
});

type Step =
  | { do: 'feed branch'; branch: Branch }
  | { do: 'feed'; terminal: Terminal }
  | { do: 'feed deletion'; tid: string }
  | { do: 'note'; noted: Noted }
  | { do: 'pass'; to: string }
  | { do: 'store' | 'load anew' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('feed branch' as const), branch: branchOf }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('feed' as const), terminal: terminalOf }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('feed deletion' as const), tid: among(...TIDS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('note' as const),
      noted: fc.oneof(
        fc.record({ terminal: terminalOf, at: time }),
        fc.record({ branch: branchOf, at: time }),
        fc.record({ deletedTid: among(...TIDS), at: time }),
      ),
    }),
  },
  fc.record({ do: fc.constant('pass' as const), to: time }),
  fc.record({ do: among('store' as const, 'load anew' as const) }),
);

/** Items by key as the feed has them, and own changes: read as they are said. */
class Naive<Item extends { updated_at: string }> {
  readonly fed = new Map<string, Item>();
  readonly own = new Map<string, { at: string; value: Item | undefined }>();

  shown(): Item[] {
    return [...new Set([...this.fed.keys(), ...this.own.keys()])].flatMap((key) => this.shownOf(key) ?? []);
  }

  shownOf(key: string): Item | undefined {
    const [fed, own] = [this.fed.get(key), this.own.get(key)];
    return own && (!fed || fed.updated_at <= own.at) ? own.value : fed;
  }

  pass(to: string) {
    for (const [key, { at }] of this.own) if (at < to) this.own.delete(key);
  }
}

class Model {
  readonly branches = new Naive<Branch>();
  readonly terminals = new Naive<Terminal>();

  note({ terminal, branch, deletedTid, at }: Noted) {
    if (terminal)
      this.terminals.own.set(terminal.tid, { at, value: { ...terminal, last_seen_at: terminal.last_seen_at ?? null } });
    if (deletedTid) this.terminals.own.set(deletedTid, { at, value: undefined });
    if (!branch) return;
    const before = this.branches.shownOf(branch.mid);
    this.branches.own.set(branch.mid, { at, value: branch });
    if (!before || before.status === branch.status) return;
    const isArchived = branch.status === 'archived';
    for (const each of this.terminals.shown().filter(({ mid }) => mid === branch.mid)) {
      const isChanged = isArchived ? each.status === 'active' : each.archived_at === before.archived_at;
      const status = isArchived
        ? { status: branch.status, archived_at: at, archive_reason: 'Archived with its branch.' }
        : { status: branch.status, archived_at: null, archive_reason: null };
      const updated_at = each.updated_at > at ? each.updated_at : at;
      if (isChanged) this.terminals.own.set(each.tid, { at, value: { ...each, ...status, updated_at } });
    }
  }
}

/** Whether a terminal or its branch has a text without spaces, anywhere in an ID or a word. */
function has(text: string, terminal: Terminal, branch: Branch | undefined): boolean {
  const names = [branch?.merchant_name, branch?.area, branch?.city, branch?.master_merchant_name];
  const ids = [terminal.terminal_id, terminal.serial_no, terminal.mid, branch?.master_merchant_id];
  const plainly = (name: string) =>
    name
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toUpperCase();
  const words = names.flatMap((name) =>
    plainly(name ?? '')
      .replace('Ł', 'L')
      .split(' '),
  );
  return [...words, ...ids.map((id) => plainId(id ?? ''))].some((word) => word.includes(text));
}

/** What a terminal is sorted by; empty if that is nothing. */
const KEYS = {
  terminal_id: ({ terminal_id }) => terminal_id.toUpperCase(),
  serial_no: ({ serial_no }) => serial_no ?? '',
  terminal_model: ({ terminal_model }) => fold(terminal_model ?? ''),
  branch: ({ mid }, branch) => fold(branch?.merchant_name ?? mid),
  city: (_, branch) => fold(branch?.city ?? ''),
  status: ({ status }) => status,
  last_seen_at: ({ last_seen_at }) => last_seen_at ?? '',
  updated_at: ({ updated_at }) => updated_at,
} satisfies Partial<Record<Column, (terminal: Terminal, branch: Branch | undefined) => string>>;
const COLUMNS = Object.keys(KEYS) as (keyof typeof KEYS)[];

const asked = fc.record({
  text: among('', '172', 'VERDE', 'CASA', '1', 'SN', 'B7F3', 'FOZ', 'LODZ'),
  status: among<string[]>([], ['active']),
  model: among<string[]>([], ['PAX', ''], ['Move']),
  by: among(...COLUMNS),
  isDescending: fc.boolean(),
});

const byKey = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** Expects an estate to show what a naive reading shows, and to answer a question as that. */
function expectShown(
  estate: Estate,
  { branches, terminals }: Model,
  { text, status, model, ...sort }: typeof asked extends fc.Arbitrary<infer T> ? T : never,
) {
  const ALL: Criteria = { text: '', filters: {}, sort: { by: 'terminal_id', isDescending: false } };
  const shown = terminals.shown();
  const all = estate.terminalsIn(ALL, { from: 0, to: 100 }, NOW).rows;
  expect(all.map(({ terminal }) => terminal).sort(byKey)).toEqual(shown.sort(byKey));
  for (const { terminal, branch } of all) expect(branch).toEqual(branches.shownOf(terminal.mid));
  const listed = estate.branchesIn({ text: '', filters: {}, sort: 'desc' }, { from: 0, to: 100 });
  expect(listed.rows.map(({ branch }) => branch).sort(byKey)).toEqual(branches.shown().sort(byKey));
  for (const { branch, active } of listed.rows)
    expect(active).toBe(shown.filter((each) => each.mid === branch.mid && each.status === 'active').length);

  const filters = { status, terminal_model: model };
  const isIn = (values: string[], value: string) => values.length === 0 || values.includes(value);
  const matching = shown.filter((each) => text === '' || has(text, each, branches.shownOf(each.mid)));
  const passing = matching.filter((each) => isIn(status, each.status) && isIn(model, each.terminal_model ?? ''));
  const found = estate.terminalsIn({ text, filters, sort }, { from: 0, to: 100 }, NOW);
  expect(found.rows.map(({ terminal }) => terminal.tid).sort()).toEqual(passing.map(({ tid }) => tid).sort());
  expect(found.total).toBe(passing.length);
  const keys = found.rows.map(({ terminal, branch }) => KEYS[sort.by](terminal, branch));
  const valued = keys.filter((key) => key !== '').sort();
  if (sort.isDescending) valued.reverse();
  expect(keys).toEqual([...valued, ...keys.filter((key) => key === '')]);
  expect(estate.tidsIn({ text, filters, sort }, { from: 1, to: 3 }, NOW)).toEqual(
    found.rows.slice(1, 3).map(({ terminal }) => terminal.tid),
  );
  const counted = matching.filter((each) => isIn(status, each.status));
  expect(estate.countTerminals({ text, filters }, 'terminal_model', NOW).sort()).toEqual(
    [...Map.groupBy(counted, (each) => each.terminal_model ?? '')].map(([value, { length }]) => [value, length]).sort(),
  );
  for (const part of ['17', '1', 'N2'])
    expect(
      estate
        .findByPart(part, 100)
        .rows.map(({ terminal }) => terminal.tid)
        .sort(),
    ).toEqual(
      shown
        .filter(
          (each) =>
            part.length > 1 && [each.terminal_id, each.serial_no].some((id) => plainId(id ?? '').includes(part)),
        )
        .map(({ tid }) => tid)
        .sort(),
    );
}

test('whatever happens, an estate shows what the feed says with own changes on top, also after it was stored', () => {
  const property = fc.property(fc.array(fc.tuple(step, asked), { minLength: 30, maxLength: 60 }), (steps) => {
    let estate = new Estate();
    const model = new Model();
    /** Another tab, which takes what is stored. */
    const other = new Estate();
    const stored = new Map<string, string>();
    for (const [happening, question] of steps) {
      if (happening.do === 'feed branch') {
        estate.branches.set(happening.branch.mid, happening.branch);
        model.branches.fed.set(happening.branch.mid, happening.branch);
      }
      if (happening.do === 'feed') {
        estate.terminals.set(happening.terminal.tid, happening.terminal);
        model.terminals.fed.set(happening.terminal.tid, happening.terminal);
      }
      if (happening.do === 'feed deletion') {
        expect(estate.terminals.delete(happening.tid)).toBe(model.terminals.fed.delete(happening.tid));
      }
      if (happening.do === 'note') {
        estate.note(happening.noted);
        model.note(happening.noted);
      }
      if (happening.do === 'pass') {
        estate.pass(happening.to);
        for (const items of [model.branches, model.terminals]) items.pass(happening.to);
      }
      if (happening.do === 'store' || happening.do === 'load anew') {
        const changed = estate.pack();
        for (const [name, json] of changed) stored.set(name, json);
        other.unpack(changed);
        const fed = new Model();
        for (const name of ['branches', 'terminals'] as const)
          for (const [key, item] of model[name].fed) (fed[name].fed as Map<string, object>).set(key, item);
        expectShown(other, fed, question);
        if (happening.do === 'load anew') {
          const own = [model.branches, model.terminals].map(({ own }) => own);
          estate = new Estate();
          estate.unpack(stored);
          for (const items of own) items.clear();
        }
      }
      expectShown(estate, model, question);
      for (const tid of TIDS) expect(estate.terminals.get(tid)).toEqual(model.terminals.fed.get(tid));
      for (const mid of MIDS) {
        expect(estate.branches.get(mid)).toEqual(model.branches.fed.get(mid));
        expect([...estate.terminalsOf(mid)].sort(byKey)).toEqual(
          [...model.terminals.fed.values()].filter((each) => each.mid === mid).sort(byKey),
        );
      }
    }
  });
  fc.assert(property, { numRuns: runs(10), seed, endOnFailure: false });
});

test('an order in which few rows have changed is as if it were made anew', () => {
  const text = fc.option(fc.constantFrom('', 'A', 'B', 'BB', 'C', 'D'), { nil: undefined });
  const changes = fc.array(fc.array(fc.tuple(fc.nat(99), text), { maxLength: 9 }), { minLength: 3, maxLength: 6 });
  const property = fc.property(fc.array(text, { minLength: 100, maxLength: 100 }), changes, (texts, all) => {
    const order = new TextOrder((row) => texts[row]);
    for (const some of [[], ...all]) {
      for (const [row, changed] of some) {
        texts[row] = changed;
        order.change(row);
      }
      expect(order.get(100)).toEqual(new TextOrder((row) => texts[row]).get(100));
    }
  });
  fc.assert(property, { numRuns: runs(50), seed });
});
