import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { csvRows, type Row } from '../../../../../infra/operate/cli/import/rows.ts';

const BOM = '\uFEFF';

/** The rows of a file that is read in pieces of `size` bytes. */
async function rowsOf(content: string, size: number): Promise<Row[]> {
  const bytes = Buffer.from(content);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const rows: Row[] = [];
  for await (const row of csvRows(Readable.from(pieces))) rows.push(row);
  return rows;
}

/** Rows by the number of their last line: the fields (as an array: `member_id` and `name`), or why it is malformed. */
type Expected = Record<number, Record<string, string | number> | [member_id: string, name?: string] | string>;

const rowsFrom = (expected: Expected): Row[] =>
  Object.entries(expected).map(([number, row]) => {
    const line = Number(number);
    if (typeof row === 'string') return { line, errors: [{ pointer: '', code: 'malformed', detail: row }] };
    return { line, fields: Array.isArray(row) ? { member_id: row[0], name: row[1] } : row };
  });

describe('CSV', () => {
  test.each<[string, string, Expected]>([
    ['an empty file', '', {}],
    ['only a header', 'member_id,card_id', {}],
    [
      'columns in any order and empty cells',
      'name,member_id\nFive,anna\n,bruno\n',
      { 2: ['anna', 'Five'], 3: ['bruno'] },
    ],
    [
      'a byte order mark, both kinds of line breaks and none at the end',
      `${BOM}member_id,name\r\nanna,Fünf\nbruno,六`,
      { 2: ['anna', 'Fünf'], 3: ['bruno', '六'] },
    ],
    [
      'quotes',
      '"member_id",name\nanna,"5 €, or ""five"""\n"bruno","two\nlines"\r\ncarla,x',
      { 2: ['anna', '5 €, or "five"'], 4: ['bruno', 'two\nlines'], 5: ['carla', 'x'] },
    ],
    [
      'empty lines and lines of empty cells',
      'member_id,name\n\nanna,x\n,\n \nbruno,y\n\n',
      { 3: ['anna', 'x'], 6: ['bruno', 'y'] },
    ],
    [
      'numbers in plain notation only',
      'member_id,minimum_amount\n007,007.50\na,-1\n,1e3\n," 5"\n,0x10\n,"1,000"\n,.5\n,Infinity',
      {
        2: { member_id: '007', minimum_amount: 7.5 },
        3: { member_id: 'a', minimum_amount: -1 },
        ...Object.fromEntries(
          ['1e3', ' 5', '0x10', '1,000', '.5', 'Infinity'].map((minimum_amount, at) => [4 + at, { minimum_amount }]),
        ),
      },
    ],
    [
      'too few and too many cells, each rejecting only its row',
      'member_id,name\nanna\nbruno,x,y\ncarla,z\n',
      { 2: 'Has 1 cells, but the header has 2.', 3: 'Has 3 cells, but the header has 2.', 4: ['carla', 'z'] },
    ],
  ])('parses %s', async (_, content, expected) => {
    for (const size of [1, 7, 65_536]) expect(await rowsOf(content, size)).toEqual(rowsFrom(expected));
  });

  test.each([
    ['an unknown column', 'member_id,crd_id\nanna,card-anna', 2],
    ['a repeated column', 'member_id,name,name\nanna,x,y', 3],
    ['other separators', 'member_id;name\nanna;x', 1],
    ['no header', 'card-anna,token-anna\ncard-bruno,token-bruno', 1],
  ])('rejects the whole file for %s and names the column', async (_, content, column) => {
    await expect(rowsOf(content, 1000)).rejects.toThrow(
      'Nothing was imported: the first line must be column names, separated by commas, from member_id, card_id, ' +
        'card_pseudo_token, reward_id, name, currency, minimum_amount, valid_from, expires_at; ' +
        `column ${column} is unknown or repeated.`,
    );
  });

  const MALFORMED = 'Is not valid CSV: a quotation mark is within a cell or is not closed, or the line is too long.';
  test.each<[string, string, Expected]>([
    [
      'a quote within a cell',
      'member_id,name\nanna,x\nbruno,a"b\ncarla,z\n',
      { 2: ['anna', 'x'], 3: MALFORMED, 4: ['carla', 'z'] },
    ],
    [
      'text after a quoted cell',
      'member_id,name\nanna,x\n"bruno"y,z\ncarla,"z"\n',
      { 2: ['anna', 'x'], 3: MALFORMED, 4: ['carla', 'z'] },
    ],
    [
      'an unclosed quote before quoted cells',
      'member_id,name\nanna,x\nbruno,"y\ncarla,"z"\n"dora","two\nlines"\n',
      { 2: ['anna', 'x'], 3: MALFORMED, 4: ['carla', 'z'], 6: ['dora', 'two\nlines'] },
    ],
    ['an unclosed quote in the last line', 'member_id,name\nanna,x\nbruno,"y', { 2: ['anna', 'x'], 3: MALFORMED }],
    [
      'a line without an end',
      `member_id,name\n${'anna'.repeat(50_000)}\nbruno,y\n"${'carla'.repeat(50_000)}`,
      { 2: MALFORMED, 3: ['bruno', 'y'], 4: MALFORMED },
    ],
    [
      'a cell with very many lines',
      `member_id,name\nanna,"${'\n'.repeat(150)}"\nbruno,y\n`,
      { 2: MALFORMED, 152: MALFORMED, 153: ['bruno', 'y'] },
    ],
  ])('refuses the line with %s, and no other one', async (_, content, expected) => {
    for (const size of [1000, 65_536]) expect(await rowsOf(content, size)).toEqual(rowsFrom(expected));
  });

  test('parses 100,000 rows, every thousandth of them malformed', async () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => (at % 1_000 === 9 ? `m${at},a"b` : `m${at},x`));
    const rows = await rowsOf(['member_id,name', ...lines].join('\n'), 65_536);
    expect(rows).toHaveLength(100_000);
    expect(rows.filter((row) => 'errors' in row)).toHaveLength(100);
  });
});
