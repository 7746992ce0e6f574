import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { matchColumns } from '../../../../functions/console/app/estate/columns.ts';
import { planImport } from '../../../../functions/console/app/estate/plan.ts';
import { readPaste, readTable } from '../../../../functions/console/app/estate/readTable.ts';
import { detailOf } from '../../../../functions/console/app/pages/import/cells.ts';

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
const read = (content: string | Uint8Array<ArrayBuffer>) => readTable(new Blob([content]));

const ABOVE = '1 line above the header is left out.';
const FORMULA = '1 cell written as ="…" counts as its text.';
const BEYOND = '1 row has cells beyond the last column, which are left out.';

/** Files as spreadsheets and other tools write them: the rows that they become, as `line|cell|cell`, and what is said of them. */
const FILES: [writtenBy: string, content: string | Uint8Array<ArrayBuffer>, rows: string[], notes: string[]][] = [
  ['Excel with sep=;', 'sep=;\r\nmid;city\r\nA;Porto\r\n', ['3|A|Porto'], [ABOVE]],
  ['PowerShell with "sep=,"', '"sep=,"\r\n"mid","city"\r\n"A","Porto"\r\n', ['3|A|Porto'], [ABOVE]],
  ['a tool with sep=|', 'SEP=|\nmid|city\nA|Porto; Foz, sul\n', ['3|A|Porto; Foz, sul'], [ABOVE]],
  ['Excel in UTF-16 with sep=', utf16('sep=\t\r\nmid\tcity\r\nA\tÉvora\r\n'), ['3|A|Évora'], [ABOVE]],
  ['a file with a byte order mark and sep=', bytes([0xef, 0xbb, 0xbf], 'sep=;\nmid;city\nA;B\n'), ['3|A|B'], [ABOVE]],
  ['a tool that keeps zeros', 'mid,serial\nA,="00012345"\n', ['2|A|00012345'], [FORMULA]],
  ['Excel, of what keeps zeros', 'mid,serial\r\nA,"=""00012345"""\r\n', ['2|A|00012345'], [FORMULA]],
  [
    'a tool that keeps nothing',
    'mid,serial,city\nA,="",="N/A"\n',
    ['2|A||'],
    ['2 cells written as ="…" count as their text.', '1 cell with “N/A” counts as empty.'],
  ],
  ['a formula of another kind', 'mid,city\nA,"=""a""&""b"""\n', ['2|A|="a"&"b"'], []],
  [
    'a delimiter after each data row',
    'mid,city\nA,Porto,\nB,Faro,\n',
    ['2|A|Porto', '3|B|Faro'],
    ['2 rows have cells beyond the last column, which are left out.'],
  ],
  ['several delimiters after a data row', 'mid;city\nA;Porto; ;;\n', ['2|A|Porto'], [BEYOND]],
  ['a delimiter after every row', 'mid,city,\nA,Porto,\n', ['2|A|Porto|'], []],
  ['rows that end early', 'mid,city,area\nA\nB,Faro\n', ['2|A||', '3|B|Faro|'], []],
  ['a report with a title', 'Our shops\nmid,city\nA,Porto\n', ['3|A|Porto'], [ABOVE]],
  [
    'a report with a title, a date and an empty row',
    'Shops; as of May,,\n"May 1, 2026",,\n,,\nmid,city,area\nA,Porto,Foz\n',
    ['5|A|Porto|Foz'],
    ['2 lines above the header are left out.'],
  ],
  [
    'a report with another delimiter in its title',
    'Shops, terminals, all\nmid;city\nA;Porto\n',
    ['3|A|Porto'],
    [ABOVE],
  ],
  ['empty lines above the header', '\n\n\nmid,city\nA,Porto\n', ['5|A|Porto'], []],
  ['a header in another language', 'Filiale,Ort\nA,Porto\n', ['2|A|Porto'], []],
  [
    'inches',
    'mid,model\nA,Screen 10"\nB,10" and 12"\n',
    ['2|A|Screen 10"', '3|B|10" and 12"'],
    ['2 cells have a quotation mark in their text.'],
  ],
  [
    'a word in quotation marks',
    'mid,shop\nA,Bar "O Velho" 2\n',
    ['2|A|Bar "O Velho" 2'],
    ['1 cell has a quotation mark in its text.'],
  ],
  ['quotation marks as RFC 4180 has them', 'mid,shop\nA,"Bar ""O Velho"", 10"""\n', ['2|A|Bar "O Velho", 10"'], []],
  ['spaces around quotes', 'mid, "shop"\nA, "Bar, Foz" \n', ['2|A|Bar, Foz'], []],
  [
    'a database',
    'mid,city,area,shop\nA,NULL,N/A,-\nB,null,#N/A,—\n',
    ['2|A|||', '3|B|||'],
    [
      '1 cell with “NULL” counts as empty.',
      '1 cell with “N/A” counts as empty.',
      '1 cell with “-” counts as empty.',
      '1 cell with “null” counts as empty.',
      '1 cell with “#N/A” counts as empty.',
      '1 cell with “—” counts as empty.',
    ],
  ],
  [
    'another database',
    'mid,city,area\nA,(null),n/a\nB,(null),–\n',
    ['2|A||', '3|B||'],
    ['2 cells with “(null)” count as empty.', '1 cell with “n/a” counts as empty.', '1 cell with “–” counts as empty.'],
  ],
  ['placeholders within a text', 'mid,shop\nA,Null Bar\nB,N/A Store -\n', ['2|A|Null Bar', '3|B|N/A Store -'], []],
  ['a row of placeholders only', 'mid,city\nA,Porto\n-,-\n', ['2|A|Porto'], ['2 cells with “-” count as empty.']],
  ['our export, of a shop called -', "mid,shop\nA,'-\n", ['2|A|-'], []],
  ['macOS, with decomposed letters', 'mid,city\nA,Sa\u0303o\n', ['2|A|S\u00e3o'], []],
  ['an old Mac', 'mid,city\rA,Porto\r', ['2|A|Porto'], []],
  ['a cell of two lines', 'mid,shop\r\nA,"Bar\r\nFoz"\r\nB,x\r\n', ['2|A|Bar\nFoz', '4|B|x'], []],
  [
    'cells that only look empty',
    'mid,city\nA,\u200b\n\u2060,\u202d\u202c\nB,\u200bN/A,\ufeff\u200b\n',
    ['2|A|', '4|B|'],
    [BEYOND, '1 cell with “N/A” counts as empty.'],
  ],
  ['no-break spaces', 'mid,city\nA\u00a0,\u00a0Porto\u00a0\n', ['2|A|Porto'], []],
];

describe('a file', () => {
  test.each(FILES)('with %s is read', async (_, content, rows, notes) => {
    const file = await read(content);
    expect(file.rows.map(({ line, cells }) => [line, ...cells].join('|'))).toEqual(rows);
    expect(file.notes).toEqual(notes);
  });

  test.each([
    ['a delimiter within a quoted text', 'mid,shop\nA,Bar "Foz, sul"\n', 'Line 2, column 2: A quotation mark opens'],
    ['text after a quote', 'mid,shop,model\nA,x,10"\nB,"Bar" Foz,x\n', 'Line 3, column 2: Text follows'],
    ['a cell beyond the header', 'mid,city\nA,Porto,,x\n', 'Line 2, column 4: The row has more cells'],
    ['a quote that stays open', 'mid,shop\nA,"Bar\n', 'Line 2: A quotation mark is not closed.'],
    ['placeholders only', 'mid,city\n-,NULL\n', 'The file has no rows below a header.'],
    ['no text', bytes([0xff, 0xd8, 0xff]), 'This is neither an Excel workbook (.xlsx) nor a CSV file in UTF-8.'],
  ])('with %s is refused, and the place is named', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test.each(['1.23457E+15', '1,23457E+15', '4E+12'])(
    'with %s says that a spreadsheet cut the number off',
    async (cell) => {
      const { header, rows } = await read(`mid;business id;terminal;serial\nA;B;T;${cell}\n`);
      const { problems } = planImport({ rows }, matchColumns(header));
      expect(problems).toEqual([{ line: 2, field: 'serial_no', code: 'lost_digits' }]);
      expect(problems.map((problem) => detailOf(problem))).toEqual([
        'A spreadsheet has cut this number off. Format the column as text, and enter the whole number.',
      ]);
    },
  );
});

/** A workbook of one sheet with these rows of a sheet's XML. */
const workbookOf = (rows: string) =>
  zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    '_rels/.rels': strToU8(
      `<Relationships><Relationship Id="r" Type="${OFFICE}/officeDocument" Target="w.xml"/></Relationships>`,
    ),
    '_rels/w.xml.rels': strToU8(
      `<Relationships><Relationship Id="s" Type="${OFFICE}/worksheet" Target="s.xml"/></Relationships>`,
    ),
    'w.xml': strToU8('<workbook><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>'),
    's.xml': strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
  });
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (at: number, ...cells: string[]) => `<row r="${at}">${cells.join('')}</row>`;
const header = row(1, cell('A1', 'mid'), cell('B1', 'city'));

describe('a workbook', () => {
  const ofFile = (name: string) => readFile(new URL(`./workbooks/${name}`, import.meta.url));
  const SHOPS = [
    '3|A1|Café São João|00012345|0012|351912345678',
    '4|A2|-1+1|401-735-882|POS-0007|',
    '5|A3||1.23457E+15|T3|2026-05-01',
  ];
  const SHOP_NOTES = ['1 other sheet is left out: only “Lojas” is read.', ABOVE, '1 cell with “N/A” counts as empty.'];

  test.each<[writtenBy: string, rows: string[], notes: string[]]>([
    ['openpyxl', SHOPS, SHOP_NOTES],
    ['libreoffice', SHOPS, SHOP_NOTES],
    [
      'xlsxwriter',
      ['2|A1|Porto|00042|TRUE', '4|A2|FARO|123456789012|', '6|A3|||'],
      ['1 cell with “#N/A” counts as empty.'],
    ],
    ['exceljs', ['2|A1|0001|Lisboa', '3|1234567|1.23457E+15|東京駅', '4|A3|0.3|Porto'], []],
    ['sheetjs', ['2|A1|T1|00012345', '3|A2|T2|00000005'], []],
  ])('written by %s has its cells as they are shown', async (name, rows, notes) => {
    const file = await read(new Uint8Array(await ofFile(`${name}.xlsx`)));
    expect(file.rows.map(({ line, cells }) => [line, ...cells].join('|'))).toEqual(rows);
    expect(file.notes).toEqual(notes);
  });

  test('of an older kind, or none, is refused with what to do', async () => {
    await expect(read(new Uint8Array(await ofFile('old.xls')))).rejects.toMatchObject({ code: 'locked' });
    await expect(read(bytes('PK', [3, 4, 0, 0]))).rejects.toMatchObject({ code: 'workbook' });
    await expect(read(zipSync({ 'a.txt': strToU8('a') }))).rejects.toMatchObject({ code: 'workbook' });
  });

  test('keeps an apostrophe before a formula, which is text in it', async () => {
    const { rows } = await read(workbookOf(header + row(2, cell('A2', 'A'), cell('B2', "'=1"))));
    expect(rows).toEqual([{ line: 2, cells: ['A', "'=1"] }]);
  });

  test('is bounded by what it inflates to, whatever it says', async () => {
    const bomb = workbookOf(header + ' '.repeat(101 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(200_000);
    await expect(read(bomb)).rejects.toMatchObject({ code: 'inflated' });
    const view = new DataView(bomb.buffer, bomb.byteOffset);
    // The size in the directory's entry of the last file, which is before the end of 22 bytes.
    const entry = bomb.length - 22 - 46 - 's.xml'.length;
    for (const [said, code] of [
      [1_000, 'workbook'],
      [0, 'inflated'],
    ] as const) {
      view.setUint32(entry + 24, said, true);
      await expect(read(bomb)).rejects.toMatchObject({ code });
    }
  });

  test('with a far cell has no more columns and rows than a file may have', async () => {
    const far = workbookOf(header + row(2, cell('A2', 'A')) + row(1_048_576, cell('XFD1048576', 'x')));
    expect((await read(far)).rows).toEqual([{ line: 2, cells: ['A', ''] }]);
    const wide = workbookOf(header + row(2, cell('CW2', 'x')));
    await expect(read(wide)).rejects.toMatchObject({ code: 'more_cells' });
    const long = Array.from({ length: 20_001 }, (_, at) => row(at + 2, cell(`A${at + 2}`, 'x')));
    await expect(read(workbookOf(header + long.join('')))).rejects.toMatchObject({ code: 'too_many_rows' });
  });
});

describe('a paste', () => {
  test.each<[string, string, object[], string[]]>([
    [
      'of one row',
      'T1\tS1\tHandheld 2\tCheckout\tHarbour Pay\r\n',
      [
        {
          terminal_id: 'T1',
          serial_no: 'S1',
          terminal_model: 'Handheld 2',
          payment_app: 'Checkout',
          acquirer_name: 'Harbour Pay',
        },
      ],
      [],
    ],
    ['whose first cell is blank leaves the terminal ID blank', '\tS1\r\n', [{ terminal_id: '', serial_no: 'S1' }], []],
    [
      'with a blank first cell in one row',
      'T1\tS1\n\tS2\n',
      [
        { terminal_id: 'T1', serial_no: 'S1' },
        { terminal_id: '', serial_no: 'S2' },
      ],
      [],
    ],
    ['with a header', 'Terminal ID\tSerial number\r\nT1\tS1\r\n', [{ terminal_id: 'T1', serial_no: 'S1' }], []],
    [
      'with a header in another order, and another column',
      'Serial\tShop\tTerminal\r\nS1\tBar\tT1\r\n',
      [{ terminal_id: 'T1', serial_no: 'S1' }],
      ['Left out: Shop.'],
    ],
    ['of a column with its name', 'Terminal ID\nT1\nT2\n', [{ terminal_id: 'T1' }, { terminal_id: 'T2' }], []],
    ['of a column without a name', 'T1\nT2\n\n', [{ terminal_id: 'T1' }, { terminal_id: 'T2' }], []],
    [
      'with a quoted cell of two lines',
      'T1\tS1\t"Handheld\r\n2 ""b"""\r\nT2\tS2\tx\r\n',
      [
        { terminal_id: 'T1', serial_no: 'S1', terminal_model: 'Handheld 2 "b"' },
        { terminal_id: 'T2', serial_no: 'S2', terminal_model: 'x' },
      ],
      [],
    ],
    [
      'with zeros that were kept, and placeholders',
      '="0012"\tN/A\r\n',
      [{ terminal_id: '0012', serial_no: '' }],
      [FORMULA, '1 cell with “N/A” counts as empty.'],
    ],
    [
      'with inches',
      'T1\tS1\t10"\r\n',
      [{ terminal_id: 'T1', serial_no: 'S1', terminal_model: '10"' }],
      ['1 cell has a quotation mark in its text.'],
    ],
    [
      'of CSV',
      'T1,S1\nT2,S2',
      [
        { terminal_id: 'T1', serial_no: 'S1' },
        { terminal_id: 'T2', serial_no: 'S2' },
      ],
      [],
    ],
    [
      'with more cells than fields',
      'T1\tS1\ta\tb\tc\td\n',
      [{ terminal_id: 'T1', serial_no: 'S1', terminal_model: 'a', payment_app: 'b', acquirer_name: 'c' }],
      [BEYOND],
    ],
    ['of nothing', '\t\n\t\n', [], []],
  ])('%s is read', (_, text, terminals, notes) => {
    const pasted = readPaste(text);
    expect(pasted.terminals).toEqual(terminals);
    expect(pasted.notes).toEqual(notes);
  });

  test('of 60 rows has all of them', () => {
    const rows = Array.from({ length: 60 }, (_, at) => `T${at}\tS${at}`);
    expect(readPaste(rows.join('\n')).terminals).toHaveLength(60);
  });

  test('that is ambiguous is refused', () => {
    expect(() => readPaste('T1\t"S1" x\n')).toThrow('Line 1, column 2: Text follows a closing quotation mark.');
  });
});
