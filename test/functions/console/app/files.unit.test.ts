import { describe, expect, test } from '@jest/globals';
import {
  type Field,
  ignoredColumns,
  type Mapping,
  matchColumns,
  missingFields,
  withField,
} from '../../../../functions/console/app/estate/columns.ts';
import { csvOf } from '../../../../functions/console/app/estate/csv.ts';
import { Ledger } from '../../../../functions/console/app/estate/ledger.ts';
import { planImport } from '../../../../functions/console/app/estate/plan.ts';
import { MAX_BYTES, MAX_ROWS, readCsv } from '../../../../functions/console/app/estate/readCsv.ts';
import { reportOf } from '../../../../functions/console/app/estate/report.ts';

const read = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => readCsv(new Blob(parts));

describe('columns', () => {
  const header = (text: string): Mapping => matchColumns(text.split(','));

  test('are matched without case, spaces, underscores and hyphens', () => {
    expect(header('MID,Branch Name,MASTER-MERCHANT-ID,terminalId')).toEqual([
      'mid',
      'branch_name',
      'master_merchant_id',
      'terminal_id',
    ]);
  });

  test('are matched by other names', () => {
    expect(header('Shop,Town,Business,Serial Number,Sticker,Model,E-Mail,Telephone')).toEqual([
      'branch_name',
      'city',
      'master_merchant_name',
      'serial_no',
      'terminal_id',
      'terminal_model',
      'email',
      'phone',
    ]);
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

  test.each<[string, Mapping, boolean, Field[][]]>([
    ['nothing', ['mid', 'master_merchant_id'], false, []],
    ['what every branch needs', ['city'], false, [['mid'], ['master_merchant_id', 'existing_master_merchant']]],
    ['what a distributor needs', ['mid', 'existing_master_merchant'], true, [['payment_provider']]],
    ['what terminals need', ['mid', 'master_merchant_id', 'serial_no'], false, [['terminal_id']]],
  ])('%s is missing', (_, mapping, isDistributor, missing) => {
    expect(missingFields(mapping, isDistributor)).toEqual(missing);
  });
});

describe('readCsv', () => {
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

  test('reads UTF-16 with a byte order mark', async () => {
    const { header, rows } = await read(new Uint8Array(Buffer.from('\ufeffmid\tcity\r\nA\tÉvora\r\n', 'utf16le')));
    expect({ header, rows }).toEqual({ header: ['mid', 'city'], rows: [{ line: 2, cells: ['A', 'Évora'] }] });
  });

  test('keeps the line of each row: of cells with newlines, and after rows that are empty or short', async () => {
    const { rows } = await read('mid,city,area\nA,"Vila\nNova\r\nde Gaia",x\n\n,,\nB\nC,"say ""hi""",y\n');
    expect(rows).toEqual([
      { line: 2, cells: ['A', 'Vila\nNova\nde Gaia', 'x'] },
      { line: 7, cells: ['B', '', ''] },
      { line: 8, cells: ['C', 'say "hi"', 'y'] },
    ]);
  });

  test.each([
    ['an open quote', 'mid,city\nA,"Porto\nB,x\n', /quotation mark is not closed/],
    ['a quote in a cell', 'mid,city\nA,Por"to\n', /Line 2: .*middle of a cell/],
    ['text after a quote', 'mid,city\nA,x\nB,"Porto"x\n', /Line 3: .*closing quotation mark/],
    ['too many cells', 'mid,city\nA,x\nB,Porto,x\n', /Line 3: .*more cells than the header/],
    ['a header alone', 'mid,city\n', /^The file has no rows/],
    ['nothing', '', /^The file has no rows/],
    ['another encoding', new Uint8Array([0x6d, 0x69, 0x64, 0x0a, 0xe9]), /^The file is not in UTF-8/],
    ['a huge row', `mid,city\nA,"${'x'.repeat(200_000)}"\n`, /Line 2: The row is too long/],
    ['too many rows', `mid\n${'A\n'.repeat(MAX_ROWS + 1)}`, /more than 20000 rows/],
    ['too many bytes', 'x'.repeat(MAX_BYTES + 1), /larger than 10 MB/],
  ])('rejects %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
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
    expect(branches).toEqual([
      [
        {
          line: 2,
          mid: 'A',
          branch: { mid: 'A', city: 'Porto', master_merchant_id: 'M' },
          terminal: { terminal_id: 'T1', serial_no: 'S1' },
        },
        {
          line: 4,
          mid: 'A',
          branch: { mid: 'A', city: 'Porto', master_merchant_id: 'M' },
          terminal: { terminal_id: 'T2' },
        },
      ],
      [{ line: 3, mid: 'B', branch: { mid: 'B', master_merchant_id: 'M' }, terminal: {} }],
    ]);
  });

  test('a MID in UUID form is the same in either case', async () => {
    const mid = 'b0000000-0000-4000-8000-00000000000a';
    const { branches } = await plan(`${mid},,M,,T1,`, `${mid.toUpperCase()},,M,,T2,`);
    expect(branches.map((rows) => rows.map(({ mid }) => mid))).toEqual([[mid, mid]]);
  });

  test('refuses each cell that contradicts an earlier row', async () => {
    const { branches, problems } = await plan(
      'A,Porto,M,a@example.com,T1,S1',
      'A,Braga,N,a@example.com,T2,',
      'A,Porto,M,a@example.com,T1,S1',
      ',Porto,M,,T3,',
      'B,Porto,M,b@example.com,T4,',
      `C,${'x'.repeat(256)},M,,T5,`,
      'D,Porto,M,,T2,S2',
    );
    expect(branches.flat().map(({ line }) => line)).toEqual([2, 8]);
    expect(problems.map(({ line, field, code, detail }) => [line, field, code, detail])).toEqual([
      [3, 'city', 'differs', 'Line 2 has another value for this branch.'],
      [3, 'master_merchant_id', 'differs', 'Line 2 has another value for this branch.'],
      [4, 'terminal_id', 'duplicate', 'Line 2 has it too.'],
      [4, 'serial_no', 'duplicate', 'Line 2 has it too.'],
      [5, 'mid', 'required', 'Is required.'],
      [6, 'email', 'differs', 'Line 2 has another value for this master merchant.'],
      [7, 'city', 'too_long', 'Must have at most 255 characters.'],
    ]);
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
    const { rows, branches } = await plan('=A,Porto,M,,+T1,', '@B,,M,,-T2,');
    const problems = [{ line: 2, field: 'mid', code: 'invalid_format', detail: '=1+1' }];
    expect(reportOf({ rows, branches, problems }, new Ledger({ rows, branches, problems }))).toBe(
      [
        '\ufeffline,mid,terminal_id,outcome,field,code,detail',
        "2,'=A,'+T1,refused,mid,invalid_format,'=1+1",
        "3,'@B,'-T2,left,,,",
        '',
      ].join('\r\n'),
    );
  });
});

describe('reportOf', () => {
  const reportOn = async (options: Parameters<typeof reportOf>[2]) => {
    const planned = await plan('A,Porto,M,,T1,', 'B,,M,,T2,', ',,M,,T3,', 'C,,M,,T4,');
    const ledger = new Ledger(planned);
    ledger.add(0, { branch: 'created', outcomes: { 2: 'created' }, problems: [] });
    const problems = [{ line: 3, field: 'city', code: 'differs', detail: 'It exists with Porto.' }];
    ledger.add(1, { branch: 'exists', outcomes: { 3: 'exists' }, problems });
    return reportOf(planned, ledger, options).split('\r\n').slice(1, -1);
  };

  test('has every row', async () => {
    expect(await reportOn({})).toEqual([
      '2,A,T1,created,,,',
      '3,B,T2,exists,city,differs,It exists with Porto.',
      '4,,T3,refused,mid,required,Is required.',
      '5,C,T4,left,,,',
    ]);
  });

  test('of a dry run says which rows are valid', async () => {
    expect(await reportOn({ isDryRun: true })).toContain('2,A,T1,valid,,,');
  });

  test('has only problems if asked to', async () => {
    expect(await reportOn({ onlyProblems: true })).toEqual([
      '3,B,T2,exists,city,differs,It exists with Porto.',
      '4,,T3,refused,mid,required,Is required.',
    ]);
  });
});
