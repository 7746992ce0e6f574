import type { Field } from '../../estate/columns.ts';
import type { CellProblem } from '../../estate/plan.ts';
import type { Unreadable } from '../../estate/readCsv.ts';
import { texts as shared } from '../../shared/texts.ts';
import { textOf, worded } from '../../shared/wording.ts';

const rows = (count: string, isOne: boolean) => (isOne ? '1 row' : `${count} rows`);

export const texts = {
  title: 'Import and export',
  tabs: { import: 'Import', export: 'Export' },
  steps: { label: 'Steps', file: 'File', columns: 'Columns', check: 'Check', import: 'Import' },
  fields: {
    ...shared.fields,
    branch_name: 'Branch name',
    existing_master_merchant: 'Business (UUID)',
  } as Record<string, string>,

  file: {
    title: 'Choose a CSV file',
    intro:
      'Each row is a terminal with its branch, or a branch without terminals. A branch with three terminals has three rows, each with the same fields of the branch.',
    drop: 'Drop a CSV file here',
    choose: 'Choose a file',
    limits: (rows: string) => `At most ${rows} rows and 10 MB. Nothing is created until you have seen what would be.`,
    template: 'Download a template',
    templateDetail: 'All columns, with two rows as an example. You need not fill all of them.',
    templateName: 'import-template',
    kept: (name: string) => `${name} is chosen.`,
    continue: 'Continue with it',
    several: 'Choose one file at a time.',
    unreadable: {
      too_large: 'The file is larger than 10 MB. Split it.',
      encoding: 'This is not a CSV file in UTF-8. In Excel, save it as “CSV UTF-8 (Comma delimited)”.',
      no_rows: 'The file has no rows below a header. Its first row must have the names of the columns.',
      too_many_rows: 'The file has more than 20,000 rows. Split it.',
      too_many_columns: 'The file has more than 100 columns. Remove those that are not needed.',
      open_quote: 'A quotation mark is not closed.',
      quote_in_cell: 'A quotation mark is in the middle of a cell. Write it twice, and put the cell in quotes.',
      text_after_quote: 'Text follows a closing quotation mark. Write quotation marks inside a cell twice.',
      more_cells: 'The row has more cells than the header. Put cells with commas in quotes.',
      long_row: 'The row is too long. A quotation mark may not be closed.',
      syntax: 'The file is not valid CSV.',
    } satisfies Record<Unreadable, string>,
    atLine: (line: string, mistake: string) => `Line ${line}: ${mistake}`,
    failed: 'The file could not be read. It may have been moved or changed: choose it again.',
  },

  columns: {
    title: (file: string) => `Columns of ${file}`,
    count: (count: string, isOne: boolean) => `${rows(count, isOne)}. Choose the field of each column.`,
    column: 'Column',
    unnamed: (number: string) => `Column ${number}`,
    examples: 'Values',
    noExamples: 'Empty',
    field: 'Field',
    fieldOf: (column: string) => `Field of ${column}`,
    ignore: 'Ignore',
    branch: 'Branch',
    terminal: 'Terminal',
    missing: 'A column is missing',
    missingOne: (field: string) => `Choose the column of ${field}.`,
    missingEither: (field: string, other: string) => `Choose the column of ${field}, or of ${other}.`,
    noneKnown: 'No column was recognized. The first row of the file must have the names of the columns.',
    ignored: (columns: string) => `Ignored: ${columns}.`,
    back: 'Choose another file',
    next: 'Check all rows',
    preview: 'First rows',
    line: 'Line',
    noProblems: 'No row breaks a rule so far. The check asks the service about the rest.',
    problems: (count: string, isOne: boolean) =>
      isOne ? '1 row has a problem. The check lists it.' : `${count} rows have problems. The check lists all of them.`,
  },

  check: {
    title: (file: string) => `Check of ${file}`,
    detail: 'Nothing is created by the check.',
    progress: (done: string, total: string) => `${done} of ${total} rows checked`,
    problems: (count: string, isOne: boolean) =>
      count === '0' ? 'no problems' : isOne ? '1 problem' : `${count} problems`,
    cancel: 'Cancel',
    good: (count: string, isOne: boolean) => `${rows(count, isOne)} can be imported`,
    bad: (count: string, isOne: boolean) => (isOne ? '1 row has problems' : `${count} rows have problems`),
    exists: (count: string, isOne: boolean) =>
      isOne ? '1 row exists already and stays as it is' : `${count} rows exist already and stay as they are`,
    import: (count: string, isOne: boolean) => `Import ${rows(count, isOne)}`,
    importGood: (count: string, isOne: boolean) => `Import the ${isOne ? 'good row' : `${count} good rows`}`,
    nothing: 'There is nothing to import.',
    correct: 'Choose a corrected file',
    report: 'Download the report',
    reportName: 'check',
  },

  run: {
    title: (file: string) => `Import of ${file}`,
    progress: (done: string, total: string) => `${done} of ${total} rows`,
    unfinished: (file: string) => `An import of ${file} is not finished`,
    unfinishedDetail: (done: string, total: string, started: string) =>
      `${done} of ${total} rows are done. It was started on ${started}. Resume it where it stopped: no row is created twice.`,
    stay: 'You can look elsewhere in the console meanwhile. If you close this tab, the import pauses.',
    elsewhere: 'This import runs in another tab of this browser. Pause it there, or wait.',
    pause: 'Pause',
    pausing: 'Pausing: the last requests are under way.',
    resume: 'Resume',
    discard: 'Discard',
    finished: (file: string) => `${file} is imported`,
    finishedPartly: (file: string, refused: string, isOne: boolean) =>
      `${file} is imported, except for ${rows(refused, isOne)}`,
    doneDetail: 'The report has every row. It stays in this browser until you are done.',
    done: 'Done',
    branches: 'See the branches',
    reportName: 'import',
    counts: {
      label: 'What was done',
      branches: 'Branches',
      terminals: 'Terminals',
      created: 'Created',
      exists: 'Existed',
      refused: 'Not imported',
      left: 'Left',
    },
    discarding: {
      title: 'Discard this import?',
      effect: (done: string, left: string) =>
        `What was created stays: ${done} rows are done. The other ${left} rows are not imported, and the report is removed from this browser.`,
      submit: 'Discard',
      running: 'It runs in another tab. Pause it there first.',
    },
  },

  storage: {
    title: 'This browser does not store how far the import is',
    detail: 'Free some space, or leave private browsing. Then try again: no row is created twice.',
  },

  problems: {
    title: 'Problems',
    line: 'Line',
    atLine: (line: string) => `Line ${line}`,
    cell: 'Cell, and what to change',
    outcome: 'Row',
    outcomes: { refused: 'Not imported', exists: 'Exists' } as Record<string, string>,
    empty: 'Empty',
  },
  /** What is wrong in a cell, and what to change. */
  detailOf(problem: CellProblem): string {
    if ('detail' in problem) return worded(problem.detail, problem.code);
    if (problem.code === 'duplicate') return `Line ${problem.other} has it too. Remove one of them.`;
    if (problem.code !== 'differs') return textOf(problem, problem.field);
    const value = problem.value === null ? 'no value' : `“${problem.value}”`;
    if (problem.of === 'existing') return `It exists with ${value}, and stays so.`;
    const what = problem.of === 'branch' ? 'branch' : 'business';
    return `Line ${problem.other} has ${value} for the same ${what}. Make them equal.`;
  },

  export: {
    intro: 'A CSV file for a spreadsheet. It can be imported again.',
    what: 'What',
    choices: {
      branches: { name: 'Branches', detail: 'A row for each branch.' },
      terminals: {
        name: 'Terminals',
        detail: 'A row for each terminal, with its branch. This takes one request for each branch.',
      },
    },
    search: 'Only of branches that match',
    placeholder: 'Words of a name, city or business, or a MID',
    all: 'Leave it empty for all branches.',
    unsearchable: 'Type 1 to 5 words, each of at least 2 letters or digits.',
    submit: 'Export',
    doing: 'Export',
    progress: (done: string, total: string) => `${done} of ${total} branches`,
    begins: 'It begins.',
    leftMinutes: (minutes: string, isOne: boolean) => (isOne ? 'about 1 minute left' : `about ${minutes} minutes left`),
    leftLittle: 'less than a minute left',
    stay: 'You can look elsewhere in the console meanwhile.',
    cancel: 'Cancel',
    saved: (name: string) => `${name} is saved.`,
    ofBranches: (count: string, isOne: boolean) => (isOne ? 'It has 1 branch.' : `It is of ${count} branches.`),
    incomplete: 'Branches can be missing, because all words of the search are in very many. Type rarer words.',
  },

  waiting: {
    rate_limit: (seconds: string) => `Too many requests: continues in ${seconds} s.`,
    service: (seconds: string) => `The service is not available: tries again in ${seconds} s.`,
    connection: (seconds: string) => `No connection: tries again in ${seconds} s.`,
  },
};

/** The label of a field, in a file. */
export const fieldName = (field: Field | string): string => texts.fields[field] ?? field;
