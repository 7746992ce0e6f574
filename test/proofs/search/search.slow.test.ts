import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wordsOf as storedWords } from '../../../lib/base/words.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import { getItem } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { deep, runs, seed } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { branchNamed, type Named } from './names.ts';
import '../../../infra/local/patient.ts';
import { storeBranches } from '../../support/storeBranches.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';

/*
 * What a partner was told that it exists is found by each of its words. Then compares searches of many branches with a
 * filter that looks at each.
 */

/** The MIDs that a search finds, of at most 100. */
async function find({ key }: Caller, search: string): Promise<string[]> {
  const { status, body } = await call('listBranches', { key, query: { search, per_page: '100' } });
  expect([status, body.warnings]).toEqual([200, undefined]);
  expect(body.data).toHaveLength(Math.min(body.meta.total, 100));
  return body.data.map(({ mid }: { mid: string }) => mid);
}

const CREATORS = deep ? 64 : 8;

test(`${CREATORS} creators at once find what they and others have created and renamed`, async () => {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = caller;
  const confirmed = new Set<string>();
  const creator = async (_: unknown, at: number) => {
    const [mid, first, second] = [unique('MID'), unique('first'), unique('second')];
    const body = { mid, branch_name: `Harbour ${first}`, city: 'Porto', master_merchant_id: `SHARED${at % 4}` };
    expect((await call('createBranch', { key, body })).status).toBe(201);
    confirmed.add(mid);
    const before = [...confirmed];
    const found = new Set(await find(caller, 'harbour'));
    expect(before.filter((each) => !found.has(each))).toEqual([]);
    expect(await find(caller, `porto ${first.slice(0, 20)}`)).toEqual([mid]);
    await call('updateBranch', { key, path: { mid }, body: { branch_name: `Harbour ${second}` } });
    expect([await find(caller, second), await find(caller, first)]).toEqual([[mid], []]);
  };
  await Promise.all(Array.from({ length: CREATORS }, creator));
  expect((await find(caller, 'harbour')).sort()).toEqual([...confirmed].sort());
});

test('leaves no invariant violation in the table', expectNoViolations);

test('a word that begins two words of each of 520 branches finds all of them', async () => {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const first = (await getItem<Branch>(branchKey((await newBranch(caller)).mid))) as Branch;
  const prefix = unique('N').slice(0, 6);
  const mids = Array.from({ length: 520 }, (_, at) => `${prefix}${at}`);
  await storeBranches(
    mids.map((mid) => ({ ...first, mid, merchant_name: `Bakkerij Barcelona`, city: undefined, area: undefined })),
  );
  const { body } = await call('listBranches', { key: caller.key, query: { search: 'ba', per_page: '100' } });
  expect([body.meta.total, body.warnings]).toEqual([520, undefined]);
});

describe('among many branches', () => {
  const COUNT = deep ? 10_000 : 600;
  const QUERIES = runs(60, 33);

  /** Names that are no words of one language, at the beginning of the list. */
  const ODD: Partial<Named>[] = [
    { merchant_name: 'x'.repeat(255) },
    { merchant_name: `${'Ü'.repeat(253)} z` },
    { merchant_name: 'Q' },
    { merchant_name: '🏪🍕', city: '🌉' },
    { merchant_name: 'مقهى الحرية', city: 'القاهرة', area: 'الزمالك' },
    { merchant_name: 'קפה ירושלים', city: 'תל אביב' },
    { merchant_name: 'Cafe\u0301 e\u0308t\u0327e\u0301 \u0301\u0302' },
    { merchant_name: Array.from({ length: 40 }, () => 'tora').join(' ') },
    { merchant_name: Array.from({ length: 60 }, (_, at) => `w${at}`).join(' ') },
    { merchant_name: 'ﬁne ＷＩＤＥ Ⅷ', city: 'İstanbul ısı' },
    { merchant_name: 'O’Neill’s "Pub" (old)', area: 'St. John’s-by-the-Sea' },
    { merchant_name: 'นครปฐม ร้านกาแฟ', city: 'मुंबई' },
    { merchant_name: '東京 カフェ', city: '서울 한국' },
    { merchant_name: 'STRAẞE 20240105-1200', city: 'Ħamrun', area: 'Ŧ Þing' },
  ];

  let caller: Caller;
  let branches: Branch[];

  beforeAll(async () => {
    caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { mid } = await newBranch(caller, { mid: unique('MID') });
    const first = (await getItem<Branch>(branchKey(mid))) as Branch;
    const started = Date.parse(first.created_at);
    const prefix = unique('N').slice(0, 6);
    const others = Array.from({ length: COUNT - 1 }, (_, at): Branch => {
      const created_at = new Date(started + 1 + at).toISOString();
      const names = { ...branchNamed(prefix, at), ...ODD[at] };
      return { ...first, ...names, created_at, updated_at: created_at };
    });
    await storeBranches(others);
    branches = [first, ...others];
  });

  /*
   * The filter by the rules of docs/decisions/0028-search.md, written independently of lib/table/wordSearch.ts.
   */

  const APOSTROPHE = /['’]/;

  const plain = (text: string): string =>
    [...text.normalize('NFKD')]
      .filter((letter) => !/[\u0300-\u036f]/.test(letter))
      .join('')
      .toUpperCase()
      .replaceAll('Ø', 'O')
      .replaceAll('Ł', 'L')
      .replaceAll(/[ĐÐ]/g, 'D')
      .replaceAll('Ħ', 'H')
      .replaceAll('Ŧ', 'T')
      .replaceAll('Þ', 'TH')
      .replaceAll('ẞ', 'SS')
      .replaceAll('Æ', 'AE')
      .replaceAll('Œ', 'OE')
      .replaceAll(/[ىی]/g, 'ي')
      .replaceAll('ة', 'ه')
      .normalize('NFC');

  const lettersOf = (word: string): string[] => [...word];
  const isSpaceless = (text: string): boolean => /^[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]+$/.test(text);

  /** The words of a text in its order, without apostrophes. */
  const wordsIn = (text: string): string[] =>
    plain(text)
      .split(/[^\p{L}\p{M}\p{N}'’]+/u)
      .map((word) => word.replaceAll(/['’]/g, ''))
      .filter(Boolean)
      .flatMap((word) => {
        if (!isSpaceless(word)) return [word];
        const letters = word.match(/\P{M}\p{M}*/gu) ?? [];
        return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
      })
      .map((word) => lettersOf(word).slice(0, 32).join(''));

  /** All words of a branch, and those that runs of words of one letter make with the word beside them. */
  const wordsOf = ({ mid, master_merchant_id, merchant_name, city, area, master_merchant_name }: Branch): string[] => {
    const texts = [merchant_name ?? '', city ?? '', area ?? '', master_merchant_name ?? ''];
    return [mid, master_merchant_id, ...texts].flatMap((text) => {
      const words = wordsIn(text);
      const parts = plain(text)
        .split(/[^\p{L}\p{M}\p{N}'’]+/u)
        .filter((word) => APOSTROPHE.test(word))
        .flatMap((word) => word.split(APOSTROPHE).filter((part) => lettersOf(part).length > 1));
      // As a text, in which each word is marked by its length.
      const marked = words.map((word) => (lettersOf(word).length > 1 ? `L${word}` : `s${word}`)).join(' ');
      const runs = [
        ...(marked.match(/^s\S+( s\S+)*( L\S+)?/u)?.slice(0, 1) ?? []),
        ...(marked.match(/s\S+( s\S+)+( L\S+)?/gu) ?? []),
        ...(marked.match(/L\S+ s\S+$/u)?.slice(0, 1) ?? []),
      ].map((run) => run.replaceAll(/(^| )[Ls]/g, ''));
      return [...words, ...parts, ...runs];
    });
  };

  /** Whether a branch has all words of a search. One of words of one letter only finds them where they are one. */
  const matches = (own: string[], words: string[]): boolean => {
    const distinct = [...new Set(words)];
    const begins = (word: string) => own.some((each) => each.startsWith(word));
    if (distinct.some((word) => lettersOf(word).length > 1)) return distinct.every(begins);
    return (
      distinct.every(begins) &&
      distinct.slice(0, -1).every((word) => own.includes(word)) &&
      (words.length > 1 ? begins(words.slice(0, 2).join('')) : own.includes(words[0] ?? ''))
    );
  };

  /** Some text of a branch, cut and changed as people type it. */
  const query = fc
    .record({
      of: fc.nat(COUNT - 1),
      fields: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }),
      places: fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }),
      lengths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 3 }),
      style: fc.constantFrom('as it is', 'lower', 'upper', 'without accents', 'decomposed'),
      other: fc.option(fc.constantFrom('cafe', 'zzzz', 'gru', 'li', '12'), { nil: undefined, freq: 4 }),
    })
    .map(({ of, fields, places, lengths, style, other }) => {
      const {
        mid,
        master_merchant_id,
        merchant_name = '',
        area = '',
        city = '',
        master_merchant_name = '',
      } = branches[of] as Branch;
      const texts = [merchant_name, city, area, master_merchant_name, mid, master_merchant_id];
      const words = fields.flatMap((field, at) => {
        const all = (texts[field] ?? '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
        const word = all[(places[at] ?? 0) % Math.max(all.length, 1)];
        return word ? [lettersOf(word).slice(0, lengths[at]).join('')] : [];
      });
      const text = [...words, ...(other ? [other] : [])].join(' ') || 'cafe';
      const styles: Record<string, (each: string) => string> = {
        lower: (each) => each.toLowerCase(),
        upper: (each) => each.toUpperCase(),
        'without accents': (each) => each.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
        decomposed: (each) => each.normalize('NFD'),
      };
      return (styles[style] ?? ((each) => each))(text);
    });

  test(`${QUERIES} searches find exactly what a filter of all ${COUNT} branches finds, in its order`, async () => {
    // Of what has more words than are stored, a search can find more.
    const isCut = ({ mid, master_merchant_id, merchant_name, city, area, master_merchant_name }: Branch) =>
      storedWords([mid, master_merchant_id], [merchant_name, city, area, master_merchant_name]).firsts !== undefined;
    const cutMids = new Set(branches.filter(isCut).map(({ mid }) => mid));
    expect(cutMids.size).toBeLessThan(COUNT / 20);
    const known = branches.map((branch) => ({ branch, words: wordsOf(branch) }));
    const countOf = (word: string) => known.filter(({ words }) => words.some((own) => own.startsWith(word))).length;
    let warned = 0;
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('asc', 'desc'), async (search, sort) => {
        const searched = wordsIn(search);
        fc.pre(searched.length > 0);
        const expected = known.filter(({ branch, words }) => !cutMids.has(branch.mid) && matches(words, searched));
        const { status, body } = await call('listBranches', {
          key: caller.key,
          query: { search, sort, per_page: '100' },
        });
        expect(status).toBe(200);
        const mids = expected.map(({ branch }) => branch.mid);
        if (sort === 'desc') mids.reverse();
        const shown = body.data.map(({ mid }: { mid: string }) => mid);
        const found = shown.filter((mid: string) => !cutMids.has(mid));
        if (body.warnings) {
          // Only if each of the words is in more than 1,000 branches.
          warned += 1;
          expect(searched.map(countOf).filter((count) => count <= 1_000)).toEqual([]);
          const all = new Set(mids);
          expect(found.filter((mid: string) => !all.has(mid))).toEqual([]);
          if (searched.length === 1) expect(found).not.toEqual([]);
          return;
        }
        const total = body.meta.total - (shown.length - found.length);
        expect([search, found]).toEqual([search, mids.slice(0, found.length < 50 ? 100 : found.length)]);
        if (body.meta.total <= 100) expect([search, total]).toEqual([search, mids.length]);
      }),
      { numRuns: QUERIES, seed, endOnFailure: true },
    );
    expect(warned).toBeLessThan(QUERIES / 2);
  });

  test('each odd name is found by its first word, unless it has none', async () => {
    for (const [at, { merchant_name = '' }] of ODD.entries()) {
      const [word] = merchant_name.match(/[\p{L}\p{M}\p{N}]{2,}/gu) ?? [];
      if (!word) continue;
      const { body } = await call('listBranches', { key: caller.key, query: { search: word, sort: 'asc' } });
      expect([word, body.data.map(({ mid }: { mid: string }) => mid)]).toEqual([
        word,
        // The first branch has no odd name.
        expect.arrayContaining([(branches[at + 1] as Branch).mid]),
      ]);
    }
  });
});
