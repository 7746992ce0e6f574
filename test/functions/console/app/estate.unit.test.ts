import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Branch,
  type BranchCriteria,
  type Criteria,
  Estate,
  type Row,
  type Terminal,
} from '../../../../docs/client/estate/estate.ts';
import { plainId } from '../../../../docs/client/estate/search.ts';
import { createApi } from '../../../../functions/console/app/api/client.ts';
import { EstateFeed } from '../../../../functions/console/app/estate/feed.ts';
import type { Pasted } from '../../../../functions/console/app/estate/pasted.ts';
import { ANSWERS } from '../../../../functions/console/app/estate/questions.ts';
import { marksIn } from '../../../../functions/console/app/shared/marksIn.ts';
import { cut, searchedWords, wordsOf } from '../../../../lib/base/words.ts';
import shopNames from '../../../lib/base/shopNames.json' with { type: 'json' };
import { runs, seed } from '../../../support/depth.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const TIME = '2026-01-01T00:00:00.000Z';

const TIMES = { status: 'active', created_at: TIME, updated_at: TIME, archived_at: null } as const;

function branch(mid: string, fields: Partial<Branch> = {}): Branch {
  const names = { merchant_name: null, area: null, city: null, master_merchant_name: null };
  return { mid, ...names, master_merchant_id: 'BIZ1', ...TIMES, ...fields };
}

function row(terminal_id: string, fields: Partial<Terminal> = {}, of: Branch | undefined = branch('MID1')): Row {
  const tid = '00000000-0000-4000-8000-000000000000';
  const details = { serial_no: null, terminal_model: null, payment_app: null, acquirer_name: null };
  const terminal = { tid, terminal_id, ...details, mid: of.mid, ...TIMES, archive_reason: null, last_seen_at: null };
  return { terminal: { ...terminal, ...fields }, branch: of };
}

const ALL: Criteria = { text: '', filters: {}, sort: { by: 'terminal_id', isDescending: false } };

/** An estate of rows, each with a TID of its own. */
function estateOf(rows: readonly Row[]): Estate {
  const estate = new Estate();
  for (const [at, { terminal, branch }] of rows.entries()) {
    const tid = terminal.tid.replace(/^0{8}/, `${at}`.padStart(8, '0'));
    if (branch) estate.branches.set(branch.mid, branch);
    estate.terminals.set(tid, { ...terminal, tid });
  }
  return estate;
}

function select(of: Estate, criteria: Partial<Criteria>): string[] {
  const { total, rows } = of.terminalsIn({ ...ALL, ...criteria }, { from: 0, to: of.terminals.size }, NOW);
  expect(total).toBe(rows.length);
  return rows.map(({ terminal }) => terminal.terminal_id);
}

describe('a text finds a terminal', () => {
  const shop = branch('b7f3a1c0-1111-4222-8333-444455556666', {
    merchant_name: 'Café Saint-Denis',
    area: 'Foz',
    city: 'São João da Madeira',
    master_merchant_name: "Groß & L'Aquila",
    master_merchant_id: 'BIZ42',
  });
  const rows = estateOf([
    row('T01725501', { serial_no: 'SN99887', tid: '00000000-d9cb-469f-a165-70867728950e' }, shop),
    row('X1', {}, branch('MID2', { merchant_name: 'Łódź ΟΔΟΣΑ', city: 'Αθήνα', master_merchant_name: '寿司 バー' })),
  ]);

  test.each([
    ['0172', 'part of its ID'],
    ['t0172', 'its ID in lower case'],
    ['5501', 'the end of its ID'],
    ['0172-5501', 'its ID with a dash'],
    ['0172 5501', 'its ID with a space'],
    ['0172–5501', 'its ID with another dash'],
    ['99 88', 'part of its serial number with a space'],
    ['S/N: SN99887', 'its serial number after a label'],
    ['TID:0172', 'part of its ID after a label'],
    ['b7f3a1c0-1111', 'part of its MID'],
    ['b7f3a1c011114222', 'its MID without dashes'],
    ['00000000-D9CB-469F-A165-70867728950E', 'its TID'],
    ['biz42', 'its business'],
    ['cafe', 'the name of its branch without accents'],
    ['CAFE\u0301', 'the name of its branch decomposed and in capitals'],
    ['denis saint', 'words of the name in another order'],
    ['saint denis', 'words of the name without the dash'],
    ['saint-denis', 'words of the name with the dash'],
    ['denis-saint', 'words of the name with a dash, in another order'],
    ['foz  0172', 'its area and its ID'],
    ['joao mad 0172-55', 'the beginnings of words of its city, and its ID'],
    ['gross', 'its business with ß as ss'],
    ['laquila', 'its business without the apostrophe'],
    ['l’aquila', 'its business with another apostrophe'],
    ['ＳＮ９９', 'its serial number in full width'],
    ['\u202dSN99\u200b887\u202c', 'its serial number with characters that are not shown'],
  ])('by %s: %s', (text) => {
    expect(select(rows, { text })).toEqual(['T01725501']);
  });

  test('by all letters of its ID, however long others that begin so are', () => {
    const id = 'X'.repeat(40);
    const long = [row(`${id}1`), row(`${id}2`), row('X3', {}, branch('MID3', { merchant_name: `${id}1` }))];
    expect(select(estateOf(long), { text: `${id}1` })).toEqual(['X3', `${id}1`]);
  });

  test.each(['lodz', 'οδοσ', 'ΟΔΟΣ', 'αθηνα', '寿司', 'ﾊﾞｰ'])('by %s, in any script', (text) => {
    expect(select(rows, { text })).toEqual(['X1']);
  });

  test.each(['0172 braga', '5501-0172', 'd9cb', 'madeira42'])('not by %s', (text) => {
    expect(select(rows, { text })).toEqual([]);
  });

  test.each(['', '  ', ' - '])('if it is empty: "%s"', (text) => {
    expect(select(rows, { text })).toEqual(['T01725501', 'X1']);
  });

  test('by its IDs if its branch is not known yet', () => {
    const unknown = estateOf([{ ...row('T7', { mid: 'MID9' }), branch: undefined }]);
    expect(['mid9', 't7', 'cafe'].map((text) => select(unknown, { text }))).toEqual([['T7'], ['T7'], []]);
  });
});

/** The words of a search as the service looks for them, and whether it finds a name by those that it stores of it. */
const searchedFor = (search: string) => (searchedWords(search) ?? []).map(cut);
const isFoundBy = (searched: string[], stored: string[]): boolean =>
  searched.length > 0 && searched.every((word) => stored.some((own) => own.startsWith(word)));

/**
 * What people type for a name: all of it, in small letters, half of it, its words in another order, joined, one of
 * them.
 */
function searchesFor(name: string): string[] {
  const half = (text: string) => [...text].slice(0, Math.ceil([...text].length / 2)).join('');
  const words = name.split(/[\s\p{P}]+/u).filter(Boolean);
  const some = [name, name.toLowerCase(), half(name), words.toReversed().join('-'), words.join(''), ...words];
  return [...new Set(some)].filter((text) => text.trim() !== '');
}

const namedEstate = (names: string[]): Estate =>
  estateOf(names.map((merchant_name, at) => row(`T${at}`, {}, branch(`M${at}`, { merchant_name }))));

/** The names that the service finds by a search for one of them, and the estate does not. */
function missingIn(names: string[], searched: (name: string) => string[]): string[] {
  const named = namedEstate(names);
  const stored = names.map((name) => wordsOf([], [name]).words);
  return names.flatMap(searched).flatMap((text) => {
    const found = new Set(select(named, { text }));
    const sought = searchedFor(text);
    const missing = names.filter((_, at) => isFoundBy(sought, stored[at] as string[]) && !found.has(`T${at}`));
    return missing.map((name) => `${text}: ${name}`);
  });
}

describe('whatever the search of the service finds, the estate finds', () => {
  const NAMES = [...Object.values(shopNames.brands).flatMap((all) => all.split('|')), ...shopNames.others.split('|')];

  test('by the names of shops in many scripts', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(600);
    expect(missingIn(NAMES, (name) => [name])).toEqual([]);
  });

  test('by parts of their names', () => {
    const batches = Array.from({ length: NAMES.length / 10 }, (_, at) => NAMES.slice(at * 10, at * 10 + 10));
    expect(batches.flatMap((names) => missingIn(names, searchesFor))).toEqual([]);
    expect(NAMES.filter((name) => !isFoundBy(searchedFor(name), wordsOf([], [name]).words))).toEqual([]);
  });

  test('by random texts', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
    const batches = fc.sample(fc.array(text, { minLength: 10, maxLength: 10 }), { numRuns: runs(100), seed });
    expect(batches.flatMap((names) => missingIn(names, searchesFor))).toEqual([]);
  });
});

test('in the search box and in a pasted list, characters that are not shown are no part of an ID', () => {
  expect(plainId('\u202dsn-\u31641\u202c')).toBe('SN1');
});

/** A text, with those parts in brackets that a search has found. */
function marked(text: string, typed: string, options = {}): string {
  const withMarks = (all: string, [from, to]: [number, number]) =>
    `${all.slice(0, from)}[${all.slice(from, to)}]${all.slice(to)}`;
  return marksIn(text, typed, options).reduceRight(withMarks, text);
}

describe('what a search has found is marked', () => {
  test.each([
    ['T01725501', '0172', 'T[0172]5501'],
    ['T01725501', '0172-55 01', 'T[01725501]'],
    ['b7f3-1c0', '31c', 'b7f[3-1c]0'],
    ['MV5300', 'S/N: mv53', '[MV53]00'],
    ['São João da Madeira', 'joao sa', '[Sã]o [João] da Madeira'],
    ['Cafe\u0301 Foz', 'CAFÉ', '[Cafe\u0301] Foz'],
    ['Straße & Æther', 'strass aet', '[Straß]e & [Æt]her'],
    ['شركة النور', 'شركة', '[شركة] النور'],
    ['Casa Verde', 'a casa', '[Casa] Verde'],
    ['Casa de Chá', 'c', '[C]asa de [C]há'],
    ['Casa Verde', 'av', 'Casa Verde'],
    ['Casa Verde', ' ', 'Casa Verde'],
    ['Casa Verde', '- (', 'Casa Verde'],
  ])('in “%s” of “%s”: %s', (text, typed, expected) => {
    expect(marked(text, typed)).toBe(expected);
  });

  test.each([
    ['Monteverde', 'verde', 'Monteverde', 'Monte[verde]'],
    ['Groß', 'SS', 'Groß', 'Gro[ß]'],
    ["L'Aquila-Baia", 'aia', "L'Aquila-Baia", "L'Aquila-B[aia]"],
    ['aaa', 'aa', '[aa]a', '[aaa]'],
  ])('in “%s” of “%s”: %s, or where it finds what is within a word, %s', (text, typed, beginning, within) => {
    expect([marked(text, typed), marked(text, typed, { isWithin: true })]).toEqual([beginning, within]);
  });
});

const porto = branch('P', { city: 'Porto' });
const rows = [
  row('T1', { terminal_model: 'PAX', last_seen_at: '2026-06-15T11:00:00.000Z' }, porto),
  row('T2', { terminal_model: 'PAX', status: 'archived', last_seen_at: '2026-06-01T11:00:00.000Z' }, porto),
  row('T3', { payment_app: 'Nova', last_seen_at: '2026-06-08T11:59:59.999Z' }),
  row('T4', { acquirer_name: 'Bank', last_seen_at: '2026-06-08T12:00:00.000Z' }),
  row('T5', { terminal_model: 'Ingenico' }, branch('F', { city: 'Faro' })),
];
const estate = estateOf(rows);

test.each<[text: string, found: Partial<Pasted>]>([
  [
    'Serial number\tModel\nMV53-1\tCountertop',
    { tids: ['A'], count: 1, words: ['Serial', 'number', 'Model', 'Countertop'] },
  ],
  [
    'S/N: MV531\nSN MV53 2\nSerial no.: MV539',
    { tids: ['A'], count: 4, missing: ['MV53', '2', 'MV539'], words: ['SN'] },
  ],
  ['s/n mv531, TID: PT2; PT1 PT2', { tids: ['A', 'B', 'A'], count: 3 }],
  ['1 2 3 4 5', { count: 4, missing: ['1', '2', '3', '4'], beyond: 1 }],
  ['NODIGIT', { tids: ['C'], count: 1, words: [] }],
  ['Seriennummer\n', { tids: [], count: 0, words: ['Seriennummer'] }],
])('of the list “%s”, labels and words of a header are no numbers', (text, found) => {
  const tidOf = (name: string) => `0000000${'ABC'.indexOf(name)}-0000-4000-8000-000000000000`;
  const rows = [row('PT1', { serial_no: 'MV531' }), row('PT2'), row('NODIGIT')];
  const expected = { missing: [], words: [], beyond: 0, ...found, ...(found.tids && { tids: found.tids.map(tidOf) }) };
  expect(ANSWERS.pasted(estateOf(rows), { text, most: 4 })).toMatchObject(expected);
});

describe('filters', () => {
  test.each<[filters: Criteria['filters'], found: string[]]>([
    [{ status: ['archived'] }, ['T2']],
    [{ city: ['Porto', 'Faro'] }, ['T1', 'T2', 'T5']],
    [{ city: [''] }, ['T3', 'T4']],
    [{ branch: ['P'] }, ['T1', 'T2']],
    [{ terminal_model: ['PAX', ''] }, ['T1', 'T2', 'T3', 'T4']],
    [{ payment_app: ['Nova'] }, ['T3']],
    [{ acquirer_name: ['Bank'] }, ['T4']],
    [{ seen: ['never'] }, ['T5']],
    [{ seen: ['week'] }, ['T3']],
    [{ seen: ['week', 'never'] }, ['T3', 'T5']],
    [{ status: ['active'], terminal_model: ['PAX'] }, ['T1']],
    [{ status: ['deleted'] }, []],
    [{ status: [] }, ['T1', 'T2', 'T3', 'T4', 'T5']],
  ])('%j', (filters, found) => {
    expect(select(estate, { filters })).toEqual(found);
  });

  test('count the rows of each value under the text and all other filters', () => {
    const criteria = { ...ALL, text: 't', filters: { terminal_model: ['PAX'], status: ['active'] } };
    const engine = estateOf([...rows, row('X9', { terminal_model: 'PAX' })]);
    const facets = ['status', 'city', 'branch', 'terminal_model', 'payment_app', 'acquirer_name', 'seen'] as const;
    const counts = facets.map((facet) => [facet, engine.countTerminals(criteria, facet, NOW)] as const);
    expect(counts.map(([facet, values]) => [facet, Object.fromEntries(values)])).toEqual([
      ['status', { active: 1, archived: 1 }],
      ['city', { Porto: 1 }],
      ['branch', { P: 1 }],
      ['terminal_model', { PAX: 1, '': 2, Ingenico: 1 }],
      ['payment_app', { '': 1 }],
      ['acquirer_name', { '': 1 }],
      ['seen', { '': 1 }],
    ]);
  });
});

describe('rows are sorted', () => {
  const sort = (of: Estate, by: Criteria['sort']['by'], isDescending = false) =>
    select(of, { sort: { by, isDescending } });

  test.each<[by: Criteria['sort']['by'], ascending: string[], descending: string[]]>([
    ['terminal_id', ['T1', 'T2', 'T3', 'T4', 'T5'], ['T5', 'T4', 'T3', 'T2', 'T1']],
    ['terminal_model', ['T5', 'T1', 'T2', 'T3', 'T4'], ['T2', 'T1', 'T5', 'T3', 'T4']],
    ['city', ['T5', 'T1', 'T2', 'T3', 'T4'], ['T2', 'T1', 'T5', 'T3', 'T4']],
    ['last_seen_at', ['T2', 'T3', 'T4', 'T1', 'T5'], ['T1', 'T4', 'T3', 'T2', 'T5']],
    ['status', ['T1', 'T3', 'T4', 'T5', 'T2'], ['T2', 'T5', 'T4', 'T3', 'T1']],
  ])('by %s, those without a value last in either direction', (by, ascending, descending) => {
    expect([sort(estate, by), sort(estate, by, true)]).toEqual([ascending, descending]);
  });

  test('by the name of the branch without case and accents, or by its MID if it has none', () => {
    const names = ['Zebra', 'Évora', 'eVa', null];
    const named = names.map((merchant_name, at) => row(`T${at}`, {}, branch(`MID${at}`, { merchant_name })));
    expect(sort(estateOf(named), 'branch')).toEqual(['T2', 'T1', 'T3', 'T0']);
  });

  test('anew when some have changed, were added or removed', () => {
    const changing = estateOf(rows);
    expect(sort(changing, 'terminal_model')).toEqual(['T5', 'T1', 'T2', 'T3', 'T4']);
    const [first, second] = changing.terminalsIn(ALL, { from: 0, to: 2 }, NOW).rows as [Row, Row];
    changing.terminals.set(first.terminal.tid, { ...first.terminal, terminal_model: 'Zeta' });
    changing.terminals.delete(second.terminal.tid);
    const tid = '00000009-0000-4000-8000-000000000000';
    changing.terminals.set(tid, row('T0', { tid, terminal_model: 'Move' }).terminal);
    expect(sort(changing, 'terminal_model')).toEqual(['T5', 'T0', 'T1', 'T3', 'T4']);
  });
});

describe('branches', () => {
  const of = (mid: string, fields: Partial<Branch>) => [mid, branch(mid, fields)] as const;
  const branches = new Map([
    of('MID1', { merchant_name: 'Casa Verde', city: 'Porto', created_at: '2026-01-02T00:00:00.000Z' }),
    of('MID2', { merchant_name: 'ábaco', city: 'Évora', master_merchant_id: 'BIZ2' }),
    of('MID3', { status: 'archived', created_at: '2026-01-03T00:00:00.000Z' }),
  ]);
  const at = (mid: string) => branches.get(mid) as Branch;
  const ALL_BRANCHES: BranchCriteria = { text: '', filters: {}, sort: 'desc' };
  const engine = estateOf([
    row('T1', {}, at('MID1')),
    row('T2', { status: 'archived' }, at('MID2')),
    row('T3', {}, at('MID1')),
  ]);
  engine.branches.set('MID3', at('MID3'));
  function midsOf(criteria: Partial<BranchCriteria>) {
    const found = engine.branchesIn({ ...ALL_BRANCHES, ...criteria }, { from: 0, to: 9 });
    expect(found.total).toBe(found.rows.length);
    return found.rows.map(({ branch: { mid } }) => mid);
  }

  test.each<[BranchCriteria['sort'], string[]]>([
    ['desc', ['MID3', 'MID1', 'MID2']],
    ['asc', ['MID2', 'MID1', 'MID3']],
    ['name', ['MID2', 'MID1', 'MID3']],
    ['city', ['MID2', 'MID1', 'MID3']],
    ['terminals', ['MID1', 'MID2', 'MID3']],
  ])('are sorted by %s', (sort, mids) => expect(midsOf({ sort })).toEqual(mids));

  test.each<[Partial<BranchCriteria>, string[]]>([
    [{ text: 'verde casa' }, ['MID1']],
    [{ text: 'abac' }, ['MID2']],
    [{ text: 'id-3' }, ['MID3']],
    [{ text: 'biz2' }, ['MID2']],
    [{ text: '&' }, ['MID3', 'MID1', 'MID2']],
    [{ filters: { terminals: ['none'] } }, ['MID3', 'MID2']],
    [{ filters: { terminals: ['none'], status: ['active'] } }, ['MID2']],
    [{ filters: { city: ['Porto', ''] } }, ['MID3', 'MID1']],
    [{ text: 'casa', filters: { business: ['BIZ2'] } }, []],
  ])('with %j are found', (criteria, mids) => expect(midsOf(criteria)).toEqual(mids));

  test('are counted by each filter under all others and the text', () => {
    const facets = ['status', 'city', 'business', 'terminals'] as const;
    const counts = facets.map((facet) => [
      facet,
      engine.countBranches({ text: '', filters: { status: ['active'] } }, facet),
    ]);
    expect(Object.fromEntries(counts)).toEqual({
      status: [
        ['active', 2],
        ['archived', 1],
      ],
      city: [
        ['Porto', 1],
        ['Évora', 1],
      ],
      business: [
        ['BIZ1', 1],
        ['BIZ2', 1],
      ],
      terminals: [
        ['none', 1],
        ['some', 1],
      ],
    });
  });
});

describe('an estate is complete', () => {
  const FEED = { data: [], meta: { next: 'c', complete_to: TIME, up_to_date: true } };
  const LAST = { data: [], meta: { next: null } };
  const BODIES = new Map<string, object>([
    ['events', FEED],
    ['merchants', { data: [porto], meta: { total: 1 } }],
  ]);
  const headers = { 'content-type': 'application/problem+json' };
  const refused = (code: string) => Response.json({ status: 400, code }, { status: 400, headers });

  /** Follows an estate until reading it fails. Returns its states in turn, and whether it was complete in each. */
  async function statesUntilFailure(respond: (list: string, time: number) => Response | undefined): Promise<string[]> {
    const times = new Map<string, number>();
    const send = async ({ url }: Request) => {
      const [, list = '', after = ''] = /\/(events|merchants|terminals|last-seen)\??(after=now)?/.exec(url) ?? [];
      const key = list + after;
      times.set(key, (times.get(key) ?? 0) + 1);
      return respond(key, times.get(key) ?? 0) ?? Response.json(BODIES.get(list) ?? LAST);
    };
    const states: string[] = [];
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const fail = () => Promise.reject(new Error('A private window.'));
    const feed = new EstateFeed({
      api: createApi('none', { baseUrl: 'http://localhost', send }),
      store: { load: fail, save: fail },
      lead: (run) => run(),
      tell() {},
      signal: new AbortController().signal,
      pause: async () => true,
      attended: async () => {},
      summaryOf: () => '',
      onChange() {
        const { state, isComplete } = feed;
        const shown = `${state.kind}: ${isComplete}`;
        // How often it says how far it is depends on the machine.
        if (shown !== states.at(-1)) states.push(shown);
        if (state.kind === 'failed') resolve();
      },
    });
    void feed.run();
    await failed;
    return states;
  }

  test('once it is read, also after the feed fails', async () => {
    const states = await statesUntilFailure((list, time) =>
      list === 'events' && time === 2 ? refused('forbidden') : undefined,
    );
    expect(states).toEqual(['walking: false', 'following: true', 'failed: true']);
  });

  test('not if it fails while it is read', async () => {
    const states = await statesUntilFailure((list) => (list === 'merchants' ? refused('forbidden') : undefined));
    expect(states).toEqual(['walking: false', 'failed: false']);
  });

  test('not after its cursor has expired, until it is read again', async () => {
    const states = await statesUntilFailure((list, time) => {
      if (list === 'events' && time === 2) return refused('cursor_expired');
      return list === 'merchants' && time === 2 ? refused('forbidden') : undefined;
    });
    expect(states.at(-1)).toBe('failed: false');
  });
});
