import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { csvRows, jsonlRows, type Row } from '../../../../infra/admin/import/rows.ts';

const BOM = '\uFEFF';

/** The rows of a file that is read in pieces of `size` bytes. */
async function rowsOf(read: (input: Readable) => AsyncIterable<Row>, content: string, size = 65_536): Promise<Row[]> {
  const bytes = Buffer.from(content);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const rows: Row[] = [];
  for await (const row of read(Readable.from(pieces))) rows.push(row);
  return rows;
}

const rejected = (line: number, detail: string) => ({ line, errors: [{ pointer: '', code: 'malformed', detail }] });
const NOTHING_AFTER = 'Is not valid CSV; nothing from here on was read.';
const NO_OBJECT = 'Is not a JSON object.';

describe('CSV', () => {
  test.each<[string, string, Row[]]>([
    ['an empty file', '', []],
    ['only a header', 'member_id,card_id', []],
    [
      'columns in any order and empty cells',
      'name,member_id\nFive,anna\n,bruno\n',
      [
        { line: 2, fields: { name: 'Five', member_id: 'anna' } },
        { line: 3, fields: { name: undefined, member_id: 'bruno' } },
      ],
    ],
    [
      'a byte order mark, both kinds of line breaks and none at the end',
      `${BOM}member_id,name\r\nanna,Fünf\nbruno,六`,
      [
        { line: 2, fields: { member_id: 'anna', name: 'Fünf' } },
        { line: 3, fields: { member_id: 'bruno', name: '六' } },
      ],
    ],
    [
      'quotes',
      '"member_id",name\nanna,"5 €, or ""five"""\n"bruno","two\r\nlines"\r\ncarla,"\n\r"\ndora,a\rb\nemil,x',
      [
        { line: 2, fields: { member_id: 'anna', name: '5 €, or "five"' } },
        { line: 3, fields: { member_id: 'bruno', name: 'two\r\nlines' } },
        { line: 5, fields: { member_id: 'carla', name: '\n\r' } },
        { line: 7, fields: { member_id: 'dora', name: 'a\rb' } },
        { line: 8, fields: { member_id: 'emil', name: 'x' } },
      ],
    ],
    [
      'empty lines and lines of empty cells',
      'member_id,name\n\nanna,x\n,\n \nbruno,y\n\n',
      [
        { line: 3, fields: { member_id: 'anna', name: 'x' } },
        { line: 6, fields: { member_id: 'bruno', name: 'y' } },
      ],
    ],
    [
      'numbers in plain notation only',
      'member_id,minimum_amount\n007,007.50\na,-1\nb,1e3\nc," 5"\nd,0x10\ne,"1,000"\nf,.5\ng,Infinity',
      [
        { line: 2, fields: { member_id: '007', minimum_amount: 7.5 } },
        { line: 3, fields: { member_id: 'a', minimum_amount: -1 } },
        ...['1e3', ' 5', '0x10', '1,000', '.5', 'Infinity'].map((minimum_amount, at) => ({
          line: 4 + at,
          fields: { member_id: 'bcdefg'[at], minimum_amount },
        })),
      ],
    ],
    [
      'too few and too many cells, each rejecting only its row',
      'member_id,name\nanna\nbruno,x,y\ncarla,z\n',
      [
        rejected(2, 'Has 1 cells, but the header has 2.'),
        rejected(3, 'Has 3 cells, but the header has 2.'),
        { line: 4, fields: { member_id: 'carla', name: 'z' } },
      ],
    ],
    [
      'a quote within a cell, which ends the file',
      'member_id,name\nanna,x\nbruno,a"b\ncarla,z\n',
      [{ line: 2, fields: { member_id: 'anna', name: 'x' } }, rejected(3, NOTHING_AFTER)],
    ],
    [
      'text after a quoted cell',
      'member_id,name\nanna,x\n"bruno"y,z\ncarla,z\n',
      [{ line: 2, fields: { member_id: 'anna', name: 'x' } }, rejected(3, NOTHING_AFTER)],
    ],
    [
      'an unclosed quote',
      'member_id,name\nanna,x\nbruno,"y\ncarla,z\n',
      [{ line: 2, fields: { member_id: 'anna', name: 'x' } }, rejected(3, NOTHING_AFTER)],
    ],
    ['an unclosed quote in the header', '"member_id,name\nanna,x\n', [rejected(1, NOTHING_AFTER)]],
  ])('parses %s', async (_, content, rows) => {
    for (const size of [1, 7, 65_536]) expect(await rowsOf(csvRows, content, size)).toEqual(rows);
  });

  test.each([
    ['an unknown column', 'member_id,crd_id\nanna,card-anna', 2],
    ['a repeated column', 'member_id,name,name\nanna,x,y', 3],
    ['other separators', 'member_id;name\nanna;x', 1],
    ['no header', 'card-anna,token-anna\ncard-bruno,token-bruno', 1],
  ])('rejects the whole file for %s and names the column', async (_, content, column) => {
    await expect(rowsOf(csvRows, content)).rejects.toThrow(
      'Nothing was imported: the first line must be column names, separated by commas, from member_id, card_id, ' +
        'card_pseudo_token, reward_id, name, currency, minimum_amount, valid_from, expires_at; ' +
        `column ${column} is unknown or repeated.`,
    );
  });

  test('stops reading at a row that never ends', async () => {
    const content = `member_id\nanna\n"${'bruno\n'.repeat(50_000)}`;
    expect(await rowsOf(csvRows, content, 1000)).toEqual([
      { line: 2, fields: { member_id: 'anna' } },
      rejected(3, NOTHING_AFTER),
    ]);
  });
});

describe('JSON Lines', () => {
  test.each<[string, string, Row[]]>([
    ['an empty file', '', []],
    [
      'objects, both kinds of line breaks and empty lines',
      `${BOM}{"member_id":"anna"}\r\n\n \t\r\n{"member_id":"six 六","n":1.5}`,
      [
        { line: 1, fields: { member_id: 'anna' } },
        { line: 4, fields: { member_id: 'six 六', n: 1.5 } },
      ],
    ],
    [
      'characters that end lines in other formats',
      '{"name":"a\u2028b\u0085c"}\n{"name":"d"}\n',
      [
        { line: 1, fields: { name: 'a\u2028b\u0085c' } },
        { line: 2, fields: { name: 'd' } },
      ],
    ],
    [
      'lines that are not objects, each rejecting only its row',
      '{"member_id":\n[1]\nnull\n"anna"\n{"member_id":"anna"}{}\n{"member_id":"bruno"}',
      [...[1, 2, 3, 4, 5].map((line) => rejected(line, NO_OBJECT)), { line: 6, fields: { member_id: 'bruno' } }],
    ],
  ])('parses %s', async (_, content, rows) => {
    for (const size of [1, 7, 65_536]) expect(await rowsOf(jsonlRows, content, size)).toEqual(rows);
  });

  test('stops reading at a line that never ends', async () => {
    const content = `{"member_id":"anna"}\n{"member_id":"${'bruno'.repeat(50_000)}`;
    expect(await rowsOf(jsonlRows, content, 1000)).toEqual([
      { line: 1, fields: { member_id: 'anna' } },
      rejected(2, 'Is not valid JSON: too long; nothing after it was read.'),
    ]);
  });
});
