import { readFile } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { strToU8, Zip, type ZipInputFile, type Zippable, zipSync } from 'fflate';
import { planImport } from '../../../../functions/console/app/bulk/planImport.ts';
import { matchColumns } from '../../../../functions/console/app/fields/matchColumns.ts';
import { readPaste, readTable } from '../../../../functions/console/app/files/readTable.ts';
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

/**
 * Files as spreadsheets and other tools write them: the rows that they become, as `line|cell|cell`, and what is said of
 * them.
 */
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
  ['a cell of two lines', 'mid,shop\r\nA,"Bar\r\nFoz"\r\nB,x\r\n', ['2|A|Bar\r\nFoz', '4|B|x'], []],
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
    ['no text', bytes([0xff, 0xd8, 0xff, 0]), 'This is neither an Excel workbook (.xlsx) nor a CSV file.'],
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

/** A workbook of one sheet with these rows of a sheet's XML, or of others, and with more parts. */
const workbookOf = (
  rows: string,
  {
    sheets = '<sheet name="S" sheetId="1" r:id="s"/>',
    styles = '<styleSheet/>',
    strings = '<sst/>',
    parts = {},
    zip = zipSync,
  }: { sheets?: string; styles?: string; strings?: string; parts?: Zippable; zip?: typeof zipSync } = {},
) =>
  zip({
    ...parts,
    '[Content_Types].xml': strToU8('<Types/>'),
    '_rels/.rels': strToU8(
      `<Relationships><Relationship Id="r" Type="${OFFICE}/officeDocument" Target="w.xml"/></Relationships>`,
    ),
    '_rels/w.xml.rels': strToU8(
      `<Relationships>${Object.entries({ worksheet: 's', styles: 'u', sharedStrings: 't' })
        .map(([type, id]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${id}.xml"/>`)
        .join('')}</Relationships>`,
    ),
    'w.xml': strToU8(`<workbook><sheets>${sheets}</sheets></workbook>`),
    'u.xml': strToU8(styles),
    't.xml': strToU8(strings),
    's.xml': strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
  });
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (at: number, ...cells: string[]) => `<row r="${at}">${cells.join('')}</row>`;
const headerRow = row(1, cell('A1', 'mid'), cell('B1', 'city'));

describe('a workbook', () => {
  const ofFile = (name: string) => readFile(new URL(`./workbooks/${name}`, import.meta.url));
  const SHOPS = [
    '3|A1|Café São João|00012345|0012|351912345678',
    '4|A2|-1+1|401-735-882|POS-0007|',
    '5|A3||1.23457E+15|T3|2026-05-01',
  ];
  const SHOP_NOTES = [
    '1 hidden sheet is left out.',
    '1 other sheet is left out: only “Lojas” is read.',
    ABOVE,
    '1 cell with “N/A” counts as empty.',
  ];

  test.each<[writtenBy: string, rows: string[], notes: string[]]>([
    ['openpyxl', SHOPS, SHOP_NOTES],
    ['libreoffice', SHOPS, SHOP_NOTES],
    [
      // Its first sheet is a chart, and a filter shows only Porto.
      'xlsxwriter',
      [
        '2|A1|Porto|00042|1 de maio de 2026|1/2',
        '3|A2|São João|00043|24 de dezembro de 2026|1  1/4',
        '4|A3|Faro|123456789012||',
        '5|A4|Porto|00044||',
      ],
      ['2 rows are hidden in the workbook, and are read too.', '1 column is hidden in the workbook, and is read too.'],
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
    const { rows } = await read(workbookOf(headerRow + row(2, cell('A2', 'A'), cell('B2', "'=1"))));
    expect(rows).toEqual([{ line: 2, cells: ['A', "'=1"] }]);
  });

  test('with formulas that nobody calculated is refused, until a spreadsheet has saved it', async () => {
    await expect(read(new Uint8Array(await ofFile('uncalculated.xlsx')))).rejects.toThrow(
      'Formulas have not been calculated (B3, D3, B4). Save the file in Excel, or in LibreOffice after Ctrl+Shift+F9.',
    );
    // The same, opened in LibreOffice and saved. One of its formulas is an error.
    const { header, rows } = await read(new Uint8Array(await ofFile('calculated.xlsx')));
    expect(rows).toEqual([
      { line: 2, cells: ['A1', 'Porto', 'S1', 'Handheld 2'] },
      { line: 3, cells: ['A2', 'FARO', 'S2', '#N/A'], errors: [3] },
      { line: 4, cells: ['A3', 'Lisboa', '', ''] },
    ]);
    const { problems } = planImport({ rows }, matchColumns(header));
    const problem = problems.find(({ field }) => field === 'terminal_model');
    expect(problem).toEqual({ line: 3, field: 'terminal_model', code: 'cell_error' });
    expect(problem && detailOf(problem)).toBe(
      'This is an error of the spreadsheet. Correct its formula, or clear the cell.',
    );
  });

  test.each(['#N/A', '#SPILL!', '#CALC!', '#¡VALOR!', '#NV', 'anything'])(
    'has an error at the cell of %s, as its type says, and its row is not imported',
    async (text) => {
      const { header, rows } = await read(
        workbookOf(headerRow + row(2, cell('A2', 'A'), `<c r="B2" t="e"><v>${text}</v></c>`)),
      );
      expect(rows).toEqual([{ line: 2, cells: ['A', text], errors: [1] }]);
      const { branches, problems } = planImport({ rows }, matchColumns(header));
      expect([branches, problems]).toEqual([[], [{ line: 2, field: 'city', code: 'cell_error' }]]);
    },
  );

  test('has every row that has something, however far apart they are', async () => {
    const rows = Array.from({ length: 10_600 }, (_, at) => row(2 * at + 3, cell(`A${2 * at + 3}`, `M${at}`)));
    const { rows: read10600 } = await read(workbookOf(headerRow + rows.join('')));
    expect(read10600.map(({ line }) => line)).toEqual(rows.map((_, at) => 2 * at + 3));
    const last = await read(workbookOf(headerRow + row(1_048_576, cell('A1048576', 'A'))));
    expect(last.rows).toEqual([{ line: 1_048_576, cells: ['A', ''] }]);
  });

  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => row(at + 2, cell(`A${at + 2}`, 'x'))).join('');
  const merge = (...ranges: string[]) =>
    `</sheetData><mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells><sheetData>`;
  const titles = (count: number) => Array.from({ length: count }, (_, at) => row(at + 1, cell(`A${at + 1}`, 'Shops')));

  test.each<[what: string, rows: string, message: string]>([
    [
      'more rows than a file may have',
      headerRow + many(20_345),
      'The file has 20,345 rows, and may have 20,000. Split it.',
    ],
    [
      'a cell beyond its header',
      headerRow + row(2, cell('D2', 'x')),
      'Cell D2: The row has more cells than the header.',
    ],
    [
      'a cell beyond the last column that is read',
      headerRow + row(2, cell('A2', 'A')) + row(3, cell('XFD3', 'x')),
      'Cell XFD3: The row has more cells than the header.',
    ],
    [
      'a header that is too wide',
      row(1, cell('A1', 'mid'), cell('B1', 'city'), cell('CW1', 'x')),
      'more than 100 columns',
    ],
    [
      'a formula without a stored result',
      headerRow + row(2, cell('A2', 'A'), '<c r="B2"><f>C2</f><v></v></c>') + row(3, '<c r="B3"><f>C3</f></c>'),
      'Formulas have not been calculated (B2, B3).',
    ],
    ['a merged header', headerRow + row(2, cell('A2', 'A')) + merge('A1:A2'), 'Cells are merged (A1:A2). Unmerge them'],
    [
      'cells that are merged over several rows',
      headerRow + row(2, cell('A2', 'A')) + merge('A2:A3', 'C2:C3', 'A2:A4', 'A2:A5', 'A2:B6'),
      'Cells are merged (A2:A3, A2:A4, A2:A5 and 1 more).',
    ],
    [
      'a header below the first 20 rows',
      titles(24).join('') + row(25, cell('A25', 'mid'), cell('B25', 'city')) + row(26, cell('A26', 'A')),
      'Line 25: The names of the columns must be in the first 20 rows. Remove rows above them.',
    ],
    [
      'two rows on one line',
      headerRow + row(2, cell('A2', 'A')) + row(2, cell('A2', 'B')),
      'This workbook cannot be read.',
    ],
    ['two cells at one place', headerRow + row(2, cell('A2', 'A'), cell('A2', 'B')), 'This workbook cannot be read.'],
    ['a cell in another row', headerRow + row(2, cell('A3', 'A')), 'This workbook cannot be read.'],
    ['a text that is missing', headerRow + row(2, '<c r="A2" t="s"><v>7</v></c>'), 'This workbook cannot be read.'],
    ['a number that is none', headerRow + row(2, '<c r="A2"><v>1,5</v></c>'), 'This workbook cannot be read.'],
    [
      'a cell of a type that is not known',
      headerRow + row(2, '<c r="A2" t="x"><v>1</v></c>'),
      'This workbook cannot be read.',
    ],
    [
      'a cell longer than Excel permits',
      headerRow + row(2, cell('A2', 'x'.repeat(32_768))),
      'This workbook cannot be read.',
    ],
    ['a sheet that was cut off', `${headerRow}<row r="2"><c r="A2"`, 'This workbook cannot be read.'],
  ])('with %s is refused with what to do', async (_, rows, message) => {
    await expect(read(workbookOf(rows))).rejects.toThrow(message);
  });

  test('has merged titles above its header, and formulas whose result is an empty text', async () => {
    const formulas = '<c r="B3" t="str"><f>C3</f><v></v></c>';
    const rows = row(1, cell('A1', 'Our shops')) + row(2, cell('A2', 'mid'), cell('B2', 'city'));
    const file = await read(workbookOf(rows + row(3, cell('A3', 'A'), formulas) + merge('A1:F1')));
    expect(file).toEqual({ header: ['mid', 'city'], rows: [{ line: 3, cells: ['A', ''] }], notes: [ABOVE] });
  });

  test('of strict OOXML, in UTF-16, with prefixes and without places, is read', async () => {
    const strict = OFFICE.replace(
      'http://schemas.openxmlformats.org/officeDocument/2006',
      'http://purl.oclc.org/ooxml/officeDocument',
    );
    const si = '<x:si><x:t>東京</x:t><x:rPh sb="0" eb="2"><x:t>トウキョウ</x:t></x:rPh></x:si>';
    const cells =
      '<x:c t="s"><x:v>0</x:v></x:c><x:c t="d" s="1"><x:v>2026-05-01</x:v></x:c><x:c ' +
      't="inlineStr"><x:is><x:r><x:t>a_x0041_</x:t></x:r><x:r><x:t xml:space="preserve"> ' +
      'b_x005F_x0041_</x:t></x:r></x:is></x:c>';
    const names = ['mid', 'city', 'area'].map((name) => `<x:c t="str"><x:v>${name}</x:v></x:c>`).join('');
    const xml = (text: string) =>
      new Uint8Array(Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${text}`, 'utf16le'));
    const file = zipSync({
      '_rels/.rels': strToU8(
        `<Relationships><Relationship Id="r" Type="${strict}/officeDocument" Target="/XL/w.xml"/></Relationships>`,
      ),
      'xl/_rels/w.xml.rels': strToU8(
        `<Relationships><Relationship Id="s" Type="${strict}/worksheet" Target="sheets/s.xml"/><Relationship Id="t" ` +
          `Type="${strict}/sharedStrings" Target="../t.xml"/><Relationship Id="u" Type="${strict}/styles" ` +
          `Target="u.xml"/></Relationships>`,
      ),
      'xl/w.xml': strToU8(
        '<x:workbook xmlns:x="x" xmlns:q="q"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="S" ' +
          'q:id="s"/></x:sheets></x:workbook>',
      ),
      't.xml': xml(`<x:sst xmlns:x="x">${si}</x:sst>`),
      'xl/u.xml': xml('<x:styleSheet xmlns:x="x"><x:cellXfs><x:xf/><x:xf numFmtId="15"/></x:cellXfs></x:styleSheet>'),
      'xl/sheets/s.xml': xml(
        `<x:worksheet xmlns:x="x"><x:sheetData><x:row>${names}</x:row><x:row>${cells}</x:row></x:sheetData></x:worksheet>`,
      ),
    });
    expect((await read(file)).rows).toEqual([{ line: 2, cells: ['東京', '1-May-26', 'aA b_x0041_'] }]);
  });

  test('says which numbers its formats hide', async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0;-0;;@"/></numFmts><cellXfs><xf/><xf ' +
      'numFmtId="164"/></cellXfs></styleSheet>';
    const file = await read(
      workbookOf(headerRow + row(2, cell('A2', 'A'), '<c r="B2" s="1"><v>0</v></c>'), { styles }),
    );
    expect(file.rows).toEqual([{ line: 2, cells: ['A', ''] }]);
    expect(file.notes).toEqual(['1 cell has a number that its format does not show, and counts as empty.']);
  });
});

describe('a workbook that would eat a browser', () => {
  /** An empty part. Compressing thousands of these takes seconds. */
  const STORED: Zippable[string] = [new Uint8Array(), { level: 0 }];

  /** As `zipSync`, which takes seconds to compress so much. */
  function zipLarge(parts: Zippable): Uint8Array<ArrayBuffer> {
    const chunks: Uint8Array[] = [];
    const zip = new Zip((_, chunk) => void chunks.push(chunk));
    for (const [filename, bytes] of Object.entries(parts) as [string, Uint8Array][]) {
      const file: ZipInputFile = { filename, size: bytes.length, crc: crc32(bytes), compression: 8 };
      zip.add(file);
      file.ondata?.(null, deflateRawSync(bytes), true);
    }
    zip.end();
    return new Uint8Array(Buffer.concat(chunks));
  }

  test('is bounded by what it inflates to, whatever it says', async () => {
    const bomb = workbookOf(headerRow + ' '.repeat(101 * 1024 * 1024), { zip: zipLarge });
    expect(bomb.length).toBeLessThan(200_000);
    await expect(read(bomb)).rejects.toMatchObject({ code: 'inflated' });
    const view = new DataView(bomb.buffer, bomb.byteOffset);
    // The size in the directory's entry of the last file, which is before the end of 22 bytes.
    const entry = bomb.length - 22 - 46 - 's.xml'.length;
    for (const said of [1_000, 0]) {
      view.setUint32(entry + 24, said, true);
      await expect(read(bomb)).rejects.toMatchObject({ code: 'workbook' });
    }
    view.setUint32(entry + 24, 0xff_ff_ff_fe, true);
    // One of the zip's two counts of its entries: a part that this one leaves out is not there for anybody.
    for (const [at, code] of [
      [8, 'workbook'],
      [10, 'inflated'],
    ] as const) {
      const changed = bomb.slice();
      new DataView(changed.buffer).setUint16(changed.length - 22 + at, 1, true);
      await expect(read(changed)).rejects.toMatchObject({ code });
    }
  });

  test('is refused if two sheets are one part, two parts have one name, or there are too many', async () => {
    const sheets = '<sheet name="A" r:id="s"/><sheet name="B" r:id="s"/>';
    const rows = headerRow + row(2, cell('A2', 'A'));
    await expect(read(workbookOf(rows, { sheets }))).rejects.toMatchObject({ code: 'workbook' });
    const twice = { 'S.xml': strToU8('<worksheet/>') };
    await expect(read(workbookOf(rows, { parts: twice }))).rejects.toMatchObject({ code: 'workbook' });
    const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`x${at}`, STORED]));
    await expect(read(workbookOf(rows, { parts }))).rejects.toMatchObject({ code: 'inflated' });
  });

  test('is refused if its cells share texts of more than 100 MB in all', async () => {
    const strings = `<sst><si><t>${'x'.repeat(32_000)}</t></si></sst>`;
    const rows = Array.from({ length: 40 }, (_, at) =>
      row(at + 2, ...Array.from({ length: 100 }, () => '<c t="s"><v>0</v></c>')),
    );
    await expect(read(workbookOf(headerRow + rows.join(''), { strings }))).rejects.toMatchObject({ code: 'inflated' });
  });

  test('has number formats that cost nothing', async () => {
    const formats = ['# ?/???????????????', '?'.repeat(100_000), '0'.repeat(255), '[', '"', '# ?/?;'.repeat(40)];
    const styles = `<styleSheet><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode='${code}'/>`)
      .join(
        '',
      )}</numFmts><cellXfs>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`;
    const rows = formats.map((_, at) =>
      row(at + 2, cell(`A${at + 2}`, 'A'), `<c r="B${at + 2}" s="${at}"><v>3.14159265358979</v></c>`),
    );
    const { rows: shown } = await read(workbookOf(headerRow + rows.join(''), { styles }));
    expect(shown.map(({ cells }) => cells[1])).toEqual([
      '3 244252/1725033',
      '3.14159265358979',
      `${'0'.repeat(254)}3`,
      '3.14159265358979',
      '3.14159265358979',
      '3.14159265358979',
    ]);
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
