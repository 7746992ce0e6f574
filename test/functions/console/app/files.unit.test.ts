import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { FORMATS, type Format, saveExport } from '../../../../functions/console/app/bulk/export.ts';
import { reportOf } from '../../../../functions/console/app/bulk/importReport.ts';
import { Ledger } from '../../../../functions/console/app/bulk/ledger.ts';
import { failedRows, faultyCells, mended } from '../../../../functions/console/app/bulk/mend.ts';
import { planImport } from '../../../../functions/console/app/bulk/planImport.ts';
import { BRANCH_FIELDS, type Field, TERMINAL_FIELDS } from '../../../../functions/console/app/fields/fields.ts';
import type { Lists } from '../../../../functions/console/app/fields/listed.ts';
import {
  columnName,
  ignoredColumns,
  type Mapping,
  matchColumns,
  missingFields,
  withField,
} from '../../../../functions/console/app/fields/matchColumns.ts';
import { csvOf } from '../../../../functions/console/app/files/csv.ts';
import { readTable } from '../../../../functions/console/app/files/readTable.ts';
import {
  MAX_BYTES,
  MAX_COLUMNS,
  MAX_ROWS,
  type Place,
  type Unreadable,
} from '../../../../functions/console/app/files/unreadable.ts';
import { detailOf, nearest, takenText } from '../../../../functions/console/app/pages/import/cells.ts';
import { storedText } from '../../../../lib/base/fields.ts';
import { seed } from '../../../support/depth.ts';

/** As Excel saves its ordinary CSV. */
function inWindows1252(text: string): Uint8Array<ArrayBuffer> {
  const decoder = new TextDecoder('windows-1252');
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Uint8Array.from(text, (character) => bytes.get(character) as number);
}
/** As a file to which a tool has added a row in another encoding. */
const MIXED = new Uint8Array([...Buffer.from('mid,city\nA,São João\n'), ...inWindows1252('B,Évora\n')]);

const read = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => readTable(new Blob(parts));

describe('columns', () => {
  const header = (text: string): Mapping => matchColumns(text.split(','));

  test('are matched without case, spaces, underscores and hyphens', () => {
    const fields = ['mid', 'branch_name', 'master_merchant_id', 'terminal_id'];
    expect(header('MID,Branch Name,MASTER-MERCHANT-ID,terminalId')).toEqual(fields);
  });

  test('are matched by other names', () => {
    expect(header('Shop,Town,Business,Serial Number,Sticker,Model,E-Mail,Telephone').join()).toBe(
      'branch_name,city,master_merchant_name,serial_no,terminal_id,terminal_model,email,phone',
    );
  });

  test('are matched by the names that templates and workbooks with problems have', () => {
    const fields = [...BRANCH_FIELDS, ...TERMINAL_FIELDS];
    expect(matchColumns(fields.map(columnName))).toEqual(fields);
  });

  test('a field has one column, the surest, and columns without a field are ignored', () => {
    const columns = ['tid', 'Terminal', 'terminal_id', 'City', 'city', 'Opening hours'];
    const mapping = matchColumns(columns);
    expect(mapping).toEqual([null, null, 'terminal_id', null, 'city', null]);
    expect(ignoredColumns(columns, mapping)).toEqual(['tid', 'Terminal', 'City', 'Opening hours']);
  });

  test('a person can change them: a field moves from one to another', () => {
    expect(withField(['mid', 'city', null], 2, 'city')).toEqual(['mid', null, 'city']);
    expect(withField(['mid', 'city', null], 1, null)).toEqual(['mid', null, null]);
  });

  test.each<[string, Mapping, Field[]]>([
    ['nothing', ['mid'], []],
    ['nothing of terminals', ['terminal_id', 'serial_no'], []],
    ['all', [null], ['mid']],
    ['the MID', ['city', 'terminal_id'], ['mid']],
    ['the terminal ID', ['mid', 'serial_no'], ['terminal_id']],
  ])('%s is missing', (_, mapping, missing) => {
    expect(missingFields(mapping)).toEqual(missing);
  });
});

describe('csvOf', () => {
  const text = fc
    .array(fc.constantFrom(...'ab,;\t"\' =+-@|!'.split(''), '＝', 'é', "=cmd|' /C calc'!A0"), { maxLength: 12 })
    .map((parts) => parts.join(''));

  test(
    'has no cell that a spreadsheet calculates, whatever it takes for the delimiter, and is read as it ' + 'was',
    async () => {
      const rows = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(rows, async (records) => {
          const csv = csvOf([['a', 'b', 'c'], ...records], { isFirst: true });
          // Quoted or not: some spreadsheets take a quotation mark within a cell for its beginning.
          const cells = [',', ';', '\t', '\0'].flatMap((delimiter) =>
            csv
              .replace('\ufeff', '')
              .split(/\r?\n/)
              .flatMap((line) => line.split(delimiter)),
          );
          const begins = cells.map((cell) => cell.replace(/^[ "]+/, ''));
          expect(begins.filter((cell) => /^[=+\-@＝＋－＠\t\r]/.test(cell))).toEqual([]);
          const filled = records.filter((record) => record.some((cell) => cell !== ''));
          const isTrimmed = filled.flat().every((cell) => cell === cell.trim());
          if (filled.length > 0 && isTrimmed) expect((await read(csv)).rows.map(({ cells }) => cells)).toEqual(filled);
        }),
        { numRuns: 1_000 },
      );
    },
  );

  test('the name that an attacker chose begins no cell of its own', () => {
    const csv = csvOf([["Cafe;=cmd|' /C calc'!A0;"]], { isFirst: false });
    expect(csv).toBe("Cafe;'=cmd|' /C calc'!A0;\r\n");
  });
});

describe('an export', () => {
  /** All categories of Unicode but that of surrogates, and that of private characters only once. */
  const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn'.split(
    ' ',
  );
  const SPECIAL = [
    '_x0041_',
    '_x005f_',
    'x0041_',
    '_',
    "'",
    '"',
    '="0012"',
    '=',
    '-',
    'NULL',
    'N/A',
    '#NV',
    '#REF!',
    'sep=;',
  ];
  const BREAKS = ['\n', '\r', '\r\n', '\t', ',', ';'];

  /** 10,000 random texts that the service stores. */
  function storedTexts(): string[] {
    const BLOCK = 0x800;
    const blocks = Array.from({ length: 0x110000 / BLOCK }, (_, block) =>
      Array.from({ length: BLOCK }, (_, at) => BLOCK * block + at),
    );
    const all = blocks.map((codes) => (codes[0] === 0xd800 ? '' : String.fromCodePoint(...codes))).join('');
    const characters = CATEGORIES.map((category) => all.match(new RegExp(`\\p{${category}}`, 'gu')) ?? []);
    expect(characters.map(({ length }) => length)).not.toContain(0);
    const part = fc.oneof(
      {
        arbitrary: fc
          .tuple(fc.constantFrom(...characters), fc.nat())
          .map(([some, at]) => some[at % some.length] as string),
        weight: 4,
      },
      fc.constantFrom(...SPECIAL),
      fc.constantFrom(...BREAKS),
    );
    const texts = fc.array(part, { minLength: 1, maxLength: 8, size: 'max' }).map((parts) => parts.join(''));
    return fc
      .sample(texts, { numRuns: 20_000, seed })
      .map((text) => v.safeParse(storedText, text))
      .flatMap(({ success, output }) => (success ? output : []));
  }

  let texts: string[];
  beforeAll(() => {
    texts = [...SPECIAL, ...storedTexts()].slice(0, 10_000);
  });

  test.each(Object.keys(FORMATS) as Format[])('as %s of any text that is stored is read as it was', async (format) => {
    expect(texts).toHaveLength(10_000);
    const header = ['mid', 'branch_name', 'area', 'city', 'master_merchant_name'];
    const records = Array.from({ length: 2_500 }, (_, at) => [`M${at}`, ...texts.slice(4 * at, 4 * at + 4)]);
    async function* chunks() {
      yield [header];
      yield records;
    }
    const file = await readTable((await saveExport(chunks(), format)) as Blob);
    expect(
      file.rows.map(({ cells }) => cells).filter((cells, at) => cells.join('|') !== records[at]?.join('|')),
    ).toEqual([]);
    expect(file).toMatchObject({ header, rows: { length: records.length }, notes: [] });
  });
});

describe('readTable', () => {
  test.each([
    ['a header of 10 MB of commas', ','.repeat(MAX_BYTES), 'long_row'],
    ['more columns than a file may have', `${'a,'.repeat(100)}a\nb`, 'too_many_columns'],
    ['a row of 10 MB of commas', `a,b\n${','.repeat(MAX_BYTES - 4)}`, 'long_row'],
  ])('refuses %s before it is parsed', async (_, content, code) => {
    await expect(read(content)).rejects.toMatchObject({ name: 'UnreadableFile', code });
  });

  test.each([
    ['commas', 'mid,city\nA,Porto\n'],
    ['semicolons, and a comma in a cell', 'mid;city\nA;Porto\n'],
    ['tabs', 'mid\tcity\nA\tPorto\n'],
    ['CRLF', 'mid,city\r\nA,Porto\r\n'],
    ['a byte order mark, and no newline at the end', '\ufeffmid,city\nA,Porto'],
    ['quotes', '"mid","city"\n"A","Porto"\n'],
    ['spaces', ' mid ,city\n A , Porto \n'],
    ['a delimiter in a quoted name', 'mid,"city;;;"\nA,Porto\n'],
  ])('reads %s', async (_, text) => {
    const { rows } = await read(text);
    expect(rows).toEqual([{ line: 2, cells: ['A', 'Porto'] }]);
  });

  const DELIMITERS = { commas: ',', semicolons: ';', tabs: '\t' };
  const ENCODINGS: [string, (text: string) => Uint8Array<ArrayBuffer>][] = [
    ['UTF-8', (text) => new Uint8Array(Buffer.from(text))],
    ['UTF-8 with a byte order mark', (text) => new Uint8Array(Buffer.from(`\ufeff${text}`))],
    ['UTF-16 of Excel', (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['UTF-16, the other byte first', (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le').swap16())],
    ['Windows-1252', inWindows1252],
    ['ASCII', (text) => new Uint8Array(Buffer.from(text.normalize('NFD').replace(/\P{ASCII}/gu, '')))],
  ];

  test.each(
    ENCODINGS.flatMap(([name, bytes]) => Object.entries(DELIMITERS).map((by) => [name, ...by, bytes] as const)),
  )('reads %s with %s, and says if the encoding is a guess', async (name, _, delimiter, encoded) => {
    const cells = ['A', 'São João, 2', '10 € – “Œuvre”'];
    const lines = [['mid', 'city', 'shop'], cells.map((cell) => `"${cell}"`)];
    const file = await read(encoded(lines.map((line) => line.join(delimiter)).join('\r\n')));
    const expected = name === 'ASCII' ? ['A', 'Sao Joao, 2', '10   uvre'] : cells;
    expect(file.rows).toEqual([{ line: 2, cells: expected }]);
    expect(file.notes).toEqual(
      name === 'Windows-1252'
        ? [
            '5 words are read as Windows-1252 (the file is not Unicode), such as São · João · €. ' +
              'If they look wrong, save the file as CSV UTF-8.',
          ]
        : [],
    );
  });

  test('keeps the line of each row: of cells with newlines, and after rows that are empty or short', async () => {
    const { rows } = await read('mid,city,area\nA,"Vila\nNova\r\nde Gaia",x\n\n,,\nB\nC,"say ""hi""",y\n');
    expect(rows).toEqual([
      { line: 2, cells: ['A', 'Vila\nNova\r\nde Gaia', 'x'] },
      { line: 7, cells: ['B', '', ''] },
      { line: 8, cells: ['C', 'say "hi"', 'y'] },
    ]);
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>, { code: Unreadable; place?: Place }]>([
    ['an open quote', 'mid,city\nA,"Porto\nB,x\n', { code: 'open_quote', place: { line: 3 } }],
    [
      'a quote that opens in a cell',
      'mid,city\nA,Vila "Nova\n',
      { code: 'quote_in_cell', place: { line: 2, column: 2 } },
    ],
    ['text after a quote', 'mid,city\nA,x\nB,"Porto"x\n', { code: 'text_after_quote', place: { line: 3, column: 2 } }],
    ['too many cells', 'mid,city\nA,x\nB,Porto,x\n', { code: 'more_cells', place: { line: 3, column: 3 } }],
    ['a header alone', 'mid,city\n', { code: 'no_rows' }],
    ['nothing', '', { code: 'no_rows' }],
    ['a picture', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46]), { code: 'encoding' }],
    ['a file that is no text', 'mid\0\nA\n', { code: 'encoding' }],
    ['UTF-16 that ends within a character', new Uint8Array([0xff, 0xfe, 0x6d, 0, 0x69]), { code: 'encoding' }],
    ['UTF-8 with a line of another encoding', MIXED, { code: 'mixed', place: { line: 3 } }],
    ['a huge row', `mid,city\nA,"${'x'.repeat(200_000)}"\n`, { code: 'long_row', place: { line: 2 } }],
    ['too many rows', `mid\n${'A\n'.repeat(MAX_ROWS + 1)}`, { code: 'too_many_rows' }],
    ['too many columns', `mid${','.repeat(MAX_COLUMNS)}\nA\n`, { code: 'too_many_columns' }],
    ['too many bytes', 'x'.repeat(MAX_BYTES + 1), { code: 'too_large' }],
  ])('rejects %s', async (_, content, mistake) => {
    await expect(read(content)).rejects.toMatchObject({ name: 'UnreadableFile', ...mistake });
  });

  test('reads rows of nearly the most characters at once', async () => {
    const row = `A,${'x'.repeat(99_000)}\n`;
    expect((await read(`mid,city\n${row.repeat(50)}`)).rows).toHaveLength(50);
  });

  test('reads as many rows as it accepts', async () => {
    expect((await read(`mid\n${'A\n'.repeat(MAX_ROWS)}`)).rows).toHaveLength(MAX_ROWS);
  });
});

const HEADER: Mapping = ['mid', 'city', 'master_merchant_id', 'email', 'terminal_id', 'serial_no'];
const plan = async (...rows: string[]) => planImport(await read(['a,b,c,d,e,f', ...rows].join('\n')), HEADER);

describe('planImport', () => {
  test('groups rows by branch, and leaves empty cells out', async () => {
    const { branches, problems } = await plan('A,Porto,M,,T1,S1', 'B,,M,,,', 'A,Porto,M,,T2,');
    expect(problems).toEqual([]);
    const branch = { mid: 'A', city: 'Porto', master_merchant_id: 'M' };
    expect(branches).toEqual([
      [
        { line: 2, mid: 'A', branch, terminal: { terminal_id: 'T1', serial_no: 'S1' } },
        { line: 4, mid: 'A', branch, terminal: { terminal_id: 'T2' } },
      ],
      [{ line: 3, mid: 'B', branch: { mid: 'B', master_merchant_id: 'M' }, terminal: {} }],
    ]);
  });

  test('a MID in UUID form is the same in either case', async () => {
    const mid = 'b0000000-0000-4000-8000-00000000000a';
    const { branches } = await plan(`${mid},,M,,T1,`, `${mid.toUpperCase()},,M,,T2,`);
    expect(branches.map((rows) => rows.map(({ mid }) => mid))).toEqual([[mid, mid]]);
  });

  test('refuses each cell that contradicts an earlier row, and says what that has', async () => {
    const { branches, problems } = await plan(
      'A,Porto,M,a@example.com,T1,S1',
      'A,Braga,N,a@example.com,T2,',
      'A,,M,a@example.com,T3,',
      'A,Porto,M,a@example.com,T1,S1',
      'B,Porto,M,b@example.com,T4,',
      'C,,M,,T5,',
      'C,Faro,M,,T6,',
      'D,Porto,M,,T2,S2',
    );
    expect(branches.flat().map(({ line }) => line)).toEqual([2, 7, 9]);
    const said = problems.map((problem) => [problem.line, problem.field, problem.code, detailOf(problem)]);
    expect(said).toEqual([
      [3, 'city', 'differs', 'Line 2 has “Porto” for the same branch. Make them equal.'],
      [3, 'master_merchant_id', 'differs', 'Line 2 has “M” for the same branch. Make them equal.'],
      [4, 'city', 'differs', 'Line 2 has “Porto” for the same branch. Make them equal.'],
      [5, 'terminal_id', 'duplicate', 'Line 2 has it too. Remove one of them.'],
      [5, 'serial_no', 'duplicate', 'Line 2 has it too. Remove one of them.'],
      [6, 'email', 'differs', 'Line 2 has “a@example.com” for the same business. Make them equal.'],
      [8, 'city', 'differs', 'Line 7 has no value for the same branch. Make them equal.'],
    ]);
  });

  test('takes values that differ only as the service ignores for the same', async () => {
    const mapping: Mapping = ['mid', 'city', 'master_merchant_id', 'email', 'country_code', 'phone', 'terminal_id'];
    const { rows } = await read(
      'a,b,c,d,e,f,g\nA,S\u00e3o,M,info@a.example,pt,+351 912 345 ' +
        '678,T1\nA,Sa\u0303o,M,Info@A.example,PT,+351912345678,T2\n',
    );
    expect(planImport({ rows }, mapping).problems).toEqual([]);
  });

  test('drops what is not shown from codes, numbers and addresses, so that all that looks the same is', async () => {
    const mapping: Mapping = ['mid', 'city', 'master_merchant_id', 'email', 'phone', 'terminal_id', 'serial_no'];
    const { rows } = await read(
      'a,b,c,d,e,f,g\n',
      'A,Porto,M,a@example.com,+351 220 000 000,T1,S1\n',
      '\u200bA,Porto,M\u00ad,\u2060a@example.com,\u202d+351 220 000 000\u202c,T2\u200e,\u200b\n',
      'A\ufeff,Porto,M,,,T\u200d1,S2\n',
    );
    const { branches, problems } = planImport({ rows }, mapping);
    expect(branches.map((own) => own.map(({ line, terminal }) => [line, terminal.terminal_id]))).toEqual([
      [
        [2, 'T1'],
        [3, 'T2'],
      ],
    ]);
    expect(branches[0]?.[1]?.branch).toEqual(branches[0]?.[0]?.branch);
    expect(problems.map(({ line, field, code }) => [line, field, code])).toEqual([
      [4, 'email', 'differs'],
      [4, 'phone', 'differs'],
    ]);
  });

  test('keeps what joins the letters of a name, and says that two names look the same', async () => {
    const { rows, problems } = await plan('A,Po\u200drto,M,,T1,', 'A,Porto,M,,T2,');
    expect(rows[0]?.branch.city).toBe('Po\u200drto');
    expect(problems.map((problem) => detailOf(problem, rows[1]?.branch.city))).toEqual([
      'Line 2 has “Po\u200drto” for the same branch. Make them equal. They look the same, but one of them has ' +
        'characters that are not shown.',
    ]);
  });

  test.each<[string, string, [field: string, code: string][]]>([
    ['no MID', ',Porto,M,,T,', [['mid', 'required']]],
    ['a MID in another form', 'A-1,Porto,M,,T,', [['mid', 'invalid_format']]],
    ['a serial number without a terminal ID', 'A,Porto,M,,,S', [['terminal_id', 'required']]],
    [
      'several mistakes',
      `A,${'x'.repeat(256)},M,nobody,=T,`,
      [
        ['city', 'too_long'],
        ['email', 'invalid_format'],
        ['terminal_id', 'invalid_format'],
      ],
    ],
  ])('refuses a row that breaks rules of the contract: %s', async (_, row, expected) => {
    const { branches, problems } = await plan(row, 'B,Porto,M,,T9,');
    expect(branches.flat().map(({ line }) => line)).toEqual([3]);
    expect(problems.map(({ field, code }) => [field, code])).toEqual(expected);
    for (const problem of problems) expect(detailOf(problem)).toMatch(/\.$/);
  });

  test('a row without a MID is alone, and needs a terminal ID', async () => {
    const { rows } = await read('a,b,c\nT1,S1,\nT2,S2,\n,,x\n');
    const { branches, problems } = planImport({ rows }, ['terminal_id', 'serial_no', null]);
    expect(branches.map((own) => own.map(({ line }) => line))).toEqual([[2], [3]]);
    expect(problems).toEqual([{ line: 4, field: 'terminal_id', code: 'required' }]);
  });
});

describe('formulas', () => {
  const FORMULAS = ['=HYPERLINK("http://example.com")', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', '-1+cmd|/C calc'];

  test.each(FORMULAS)('a spreadsheet does not calculate %j', async (formula) => {
    expect(csvOf([[formula]], { isFirst: false })).toMatch(/^"?'/);
  });

  test('an import reads them as they were', async () => {
    const kept = FORMULAS.filter((formula) => /^[=+@-]/.test(formula));
    const { rows } = await read(csvOf([['name'], ...kept.map((formula) => [formula])], { isFirst: true }));
    expect(rows.map(({ cells }) => cells[0])).toEqual(kept);
  });

  test('a report has none', async () => {
    const planned = await plan('=A,Porto,M,,+T1,', 'B,,M,,T2,');
    expect(reportOf(planned, new Ledger(planned), () => '=1+1')).toBe(
      [
        '\ufeffline,mid,terminal_id,outcome,field,value,code,detail,existing_value',
        "2,'=A,'+T1,refused,mid,'=A,invalid_format,'=1+1,",
        "2,'=A,'+T1,refused,terminal_id,'+T1,invalid_format,'=1+1,",
        '3,B,T2,left,,,,,',
        '',
      ].join('\r\n'),
    );
  });
});

test('a report has every row, with the value of each wrong cell and what to change', async () => {
  const planned = await plan('A,Porto,M,,T1,', 'B,Faro,M,,T2,', ',,M,,T3,', 'C,,M,,T4,');
  const ledger = new Ledger(planned);
  ledger.add(0, { branch: 'created', outcomes: { 2: 'created' }, problems: [] });
  const problem = { line: 3, field: 'city', code: 'differs', of: 'existing', value: 'Porto' } as const;
  ledger.add(1, { branch: 'exists', outcomes: { 3: 'exists' }, problems: [problem] });
  expect(reportOf(planned, ledger, detailOf).split('\r\n').slice(1, -1)).toEqual([
    '2,A,T1,created,,,,,',
    '3,B,T2,exists,city,Faro,differs,It exists with “Porto”. The import does not change it.,Porto',
    '4,,T3,refused,mid,,required,Is required.,',
    '5,C,T4,left,,,,,',
  ]);
});

describe('a value that must be one of a list', () => {
  const names = (...texts: string[]) => texts.map((text) => ({ key: text, text }));
  const LISTS: Lists = {
    payment_app: names('Checkout Go', 'Checkout Plus', 'Till'),
    acquirer_name: names('Unicre', 'UNICRE', 'Sibs'),
    payment_provider: [{ key: '0b0e5a3c-7d0f-4a55-9f0e-1f2d3c4b5a69', text: 'Payfair' }],
  };
  const planned = async (field: Field, ...cells: string[]) =>
    planImport(
      await read(`a,b\n${cells.map((cell, at) => `T${at},${cell}\n`).join('')}`),
      ['terminal_id', field],
      LISTS,
    );

  test.each<[Field, string, string | undefined]>([
    ['payment_app', 'checkout  GO', 'Checkout Go'],
    ['payment_app', 'Checkout Go', 'Checkout Go'],
    ['payment_app', 'Chekout Go', 'Chekout Go'],
    ['acquirer_name', 'UNICRE', 'UNICRE'],
    ['acquirer_name', 'unicre', 'unicre'],
    ['payment_provider', 'payfair', '0b0e5a3c-7d0f-4a55-9f0e-1f2d3c4b5a69'],
    ['serial_no', 'checkout go', 'checkout go'],
  ])('is taken as the one that has its name in any case, if there is one: %s %j', async (field, text, taken) => {
    const { rows } = await planned(field, text);
    expect({ ...rows[0]?.terminal, ...rows[0]?.branch }[field]).toBe(taken);
  });

  test('is counted where it is written otherwise', async () => {
    const { taken } = await planned('payment_app', 'checkout go', 'Checkout Go', 'checkout go', 'TILL', 'Chekout Go');
    expect(taken.map(takenText)).toEqual([
      'Payment app “checkout go” is taken as “Checkout Go”, in 2 rows.',
      'Payment app “TILL” is taken as “Till”, in 1 row.',
    ]);
  });

  test.each<[string, string[]]>([
    ['Chekout Go', ['Checkout Go']],
    ['Plus Chekout', ['Checkout Plus']],
    ['checkout', ['Checkout Go', 'Checkout Plus']],
    ['Tile', ['Till']],
    ['Point of sale', []],
    ['', []],
    ['x'.repeat(255), []],
  ])('is said to be near others: %j', (text, near) => {
    const problem = { line: 2, field: 'payment_app', code: 'not_found', detail: '' };
    const find = nearest(LISTS);
    expect(find(problem, text)).toEqual(near);
    expect(detailOf(problem, text, near)).toBe(
      near.length === 0
        ? 'You have none with this name or ID. Choose one of yours.'
        : `You have none with this name or ID. Did you mean ${near.map((name) => `“${name}”`).join(' or ')}?`,
    );
    expect(find({ ...problem, field: 'serial_no' }, text)).toEqual([]);
  });

  test('is looked for of at most 500 texts, as a list can be long and every row wrong', async () => {
    const longest = names(...Array.from({ length: 1_000 }, (_, at) => `Bank of ${at} and its many branches`));
    const find = nearest({ acquirer_name: longest });
    const problem = { line: 2, field: 'acquirer_name', code: 'not_found', detail: '' };
    const found = Array.from({ length: MAX_ROWS }, (_, at) => find(problem, `Bank of ${at} and its many branch`));
    expect(found[7]).toContain('Bank of 7 and its many branches');
    expect(found.at(-1)).toEqual([]);
  });
});

describe('rows with problems', () => {
  const mappedFrom = async (file: Blob) => {
    const read = await readTable(file);
    return { file: read, mapping: matchColumns(read.header) };
  };
  const FILE = [
    'Shop,Sticker,Opening hours,What is wrong,city,City,MID,Serial,Model',
    'Foz,T-1,9-18,x,Porto,1,A,S1,0012',
    'Foz,T-1,9-18,x,Porto,1,A,S2,#REF!',
    'Foz,T3,9-18,x,Faro,1,A,S3,=1',
    "Foz,T4,9-18,x,Porto,1,A,S4,'-",
  ].join('\n');
  const said = ({ field, code }: { field: string; code: string }) => `${field} ${code}.`;
  const problemsOf = ({ problems }: ReturnType<typeof planImport>) =>
    problems.map(({ line, ...each }) => [line, said(each)]);

  test('come back as a workbook of the own rows, which is read as it is', async () => {
    const chosen = await mappedFrom(new Blob([FILE]));
    const plan = planImport(chosen.file, chosen.mapping);
    const rows = failedRows(chosen, plan, { problems: plan.problems, saidOf: said });
    async function* chunks() {
      yield rows;
    }
    const again = await mappedFrom((await saveExport(chunks(), 'xlsx')) as Blob);
    expect(again.file).toEqual({
      header: [
        ...['What is wrong', 'Branch name', 'Terminal ID', 'Opening hours', 'City', 'MID', 'Serial number', 'Model'],
      ],
      rows: [
        { line: 2, cells: ['Line 2: terminal_id invalid_format.', 'Foz', 'T-1', '9-18', 'Porto', 'A', 'S1', '0012'] },
        {
          line: 3,
          cells: [
            ...['Line 3: terminal_id invalid_format. terminal_model cell_error.', 'Foz', 'T-1', '9-18', 'Porto', 'A'],
            ...['S2', '#REF!'],
          ],
          errors: [7],
        },
        { line: 4, cells: ['Line 5: city differs.', 'Foz', 'T4', '9-18', 'Porto', 'A', 'S4', '-'] },
      ],
      notes: [],
    });
    expect(again.mapping.join()).toBe(',branch_name,terminal_id,,city,mid,serial_no,terminal_model');
    expect(problemsOf(planImport(again.file, again.mapping))).toEqual([
      [2, 'terminal_id invalid_format.'],
      [3, 'terminal_id invalid_format.'],
      [3, 'terminal_model cell_error.'],
    ]);
  });

  test('are corrected cell by cell, where they are', async () => {
    let chosen = await mappedFrom(new Blob([FILE]));
    const plan = planImport(chosen.file, chosen.mapping);
    const cells = faultyCells(plan, plan.problems);
    expect(cells.map(({ lines, problem }) => [lines, said(problem)])).toEqual([
      [[2], 'terminal_id invalid_format.'],
      [[3], 'terminal_id invalid_format.'],
      [[3], 'terminal_model cell_error.'],
      [[5], 'city differs.'],
    ]);
    for (const [at, text] of ['T1', 'T2', 'Handheld 2'].entries())
      chosen = mended(chosen, cells[at] as (typeof cells)[number], text);
    // The first row of the branch is another one now.
    const again = planImport(chosen.file, chosen.mapping);
    expect(problemsOf(again)).toEqual([[4, 'city differs.']]);
    const [city] = faultyCells(again, again.problems);
    chosen = mended(chosen, city as (typeof cells)[number], 'Porto');
    expect(planImport(chosen.file, chosen.mapping)).toMatchObject({ branches: [{ length: 4 }], problems: [] });
  });

  test('are corrected together if they have the same text and problem, also where the file has no column', async () => {
    const chosen = await mappedFrom(
      new Blob(['MID,MCC,Terminal\nA,12,T1\nB,12,T2\nB,1x,T3\n,,\nC,,T4\nC,,T5\nD,,T6\n']),
    );
    const plan = planImport(chosen.file, chosen.mapping);
    const missing = [6, 7, 8].map((line) => ({ line, field: 'master_merchant_id', code: 'required', detail: '' }));
    const cells = faultyCells(plan, [...missing, ...plan.problems]);
    expect(cells.map(({ lines }) => lines)).toEqual([[2, 3], [4], [6, 7], [8]]);
    const [first, , third] = cells;
    if (!first || !third) throw new Error('There are none.');
    const corrected = mended(mended(chosen, first, '5940'), third, 'CO1');
    expect(corrected.mapping).toEqual(['mid', 'mcc', 'terminal_id', 'master_merchant_id']);
    expect(corrected.file.rows.map(({ cells }) => cells.join('|'))).toEqual([
      ...['A|5940|T1|', 'B|5940|T2|', 'B|1x|T3|', 'C||T4|CO1', 'C||T5|CO1', 'D||T6|'],
    ]);
  });
});
