import { Alert, Button, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { Info, TriangleAlert } from 'lucide-react';
import { cellOf, type Row } from '../../bulk/importRow.ts';
import { BRANCH_FIELDS, type Field, TERMINAL_FIELDS } from '../../fields/fields.ts';
import { ignoredColumns, missingFields, withField } from '../../fields/matchColumns.ts';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { counted, detailOf, fieldName, takenText } from './cells.ts';
import { Head } from './Head.tsx';
import { type Chosen, choose } from './importJob.ts';

const EXAMPLES = 3;
const EXAMPLES_FROM = 100;
const PREVIEWED = 5;

const group = (name: string, fields: Field[]) => ({
  group: name,
  items: fields.map((field) => ({ value: field, label: fieldName(field) })),
});
const OPTIONS = [{ value: '', label: 'Ignore' }, group('Branch', BRANCH_FIELDS), group('Terminal', TERMINAL_FIELDS)];

interface Listed {
  at: number;
  name: string;
}

function examplesOf({ rows }: Chosen['file'], at: number): string {
  const cells = rows.slice(0, EXAMPLES_FROM).map(({ cells }) => cells[at] ?? '');
  return [...new Set(cells.filter((cell) => cell !== ''))].slice(0, EXAMPLES).join(' · ');
}

const columnsOf = (chosen: Chosen, onField: (at: number, field: Field | null) => void): Column<Listed>[] => [
  { name: 'Column', width: '26%', narrow: 'first', cell: ({ name }) => name },
  { name: 'Values', narrow: 'second', cell: ({ at }) => examplesOf(chosen.file, at) || 'Empty' },
  {
    name: 'Field',
    width: '30%',
    narrow: 'end',
    cell: ({ at, name }) => (
      <NativeSelect
        aria-label={`Field of ${name}`}
        data={OPTIONS}
        value={chosen.mapping[at] ?? ''}
        onChange={(event) => onField(at, (event.currentTarget.value || null) as Field | null)}
      />
    ),
  },
];

function Missing({ mapping }: Pick<Chosen, 'mapping'>) {
  const missing = missingFields(mapping);
  if (missing.length === 0) return null;
  return (
    <Alert color="yellow" title="A column is missing" icon={<TriangleAlert size={18} />}>
      {mapping.every((field) => field === null)
        ? 'No column was recognized. The first row of the file must have the names of the columns.'
        : missing.map((field) => <Text key={field}>Choose the column of {fieldName(field)}.</Text>)}
    </Alert>
  );
}

/** The most notes that are shown one by one. */
const MOST_NOTES = 10;

/** What was corrected while the file was read. */
function Corrections({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  const more = notes.length - MOST_NOTES;
  return (
    <Alert color="gray" title="What was corrected while reading" icon={<Info size={18} />}>
      {notes.slice(0, MOST_NOTES).map((note) => (
        <Text key={note} className="wraps">
          {note}
        </Text>
      ))}
      {more > 0 && <Text>And {counted(more, 'more correction')}.</Text>}
    </Alert>
  );
}

/** The first rows as they will be imported, with what is wrong at its cell. */
function Preview({ plan, mapping }: Chosen) {
  const fields = mapping.filter((field) => field !== null);
  const bad = new Set(plan.problems.map(({ line }) => line)).size;
  if (fields.length === 0) return null;
  const cellsOf = (row: Row) => {
    const problems = plan.problems.filter(({ line }) => line === row.line);
    return fields.map((each) => {
      const problem = problems.find(({ field }) => field === each);
      return (
        <div key={each} className="sideways-cell">
          <Text inherit lineClamp={4} className="wraps">
            <Verbatim>{cellOf(row, each)}</Verbatim>
          </Text>
          {problem && (
            <Text size="sm" c="var(--mantine-color-error)">
              <TriangleAlert size={12} /> {detailOf(problem)}
            </Text>
          )}
        </div>
      );
    });
  };
  return (
    <Stack gap="md">
      <Title order={3}>First rows</Title>
      <Text c="dimmed">
        {bad === 0
          ? 'No row breaks a rule so far. The check also asks the service.'
          : `${counted(bad, 'row has problems', 'rows have problems')}. The check lists all of them.`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with keys too */}
      <section className="sideways" aria-label="First rows" tabIndex={0}>
        <Table
          data={{
            head: ['Line', ...fields.map(fieldName)],
            body: plan.rows.slice(0, PREVIEWED).map((row) => [formatNumber(row.line), ...cellsOf(row)]),
          }}
        />
      </section>
    </Stack>
  );
}

export function ColumnsStep({ chosen, onBack, onNext }: { chosen: Chosen; onBack: () => void; onNext: () => void }) {
  const { acquirer } = useActing();
  const { fileName, file, mapping, lists } = chosen;
  const isMissing = missingFields(mapping).length > 0;
  const names = file.header.map((name, at) => name || `Column ${formatNumber(at + 1)}`);
  const ignored = ignoredColumns(names, mapping);
  return (
    <Stack gap="xl">
      <Head
        title={`Columns of ${fileName}`}
        actions={
          <>
            <Button variant="default" onClick={onBack}>
              Choose another file
            </Button>
            <Button onClick={onNext} disabled={isMissing}>
              Check all rows
            </Button>
          </>
        }
      >
        {counted(file.rows.length, 'row')}. Choose the field of each column.
      </Head>
      <Missing mapping={mapping} />
      <Corrections notes={[...file.notes, ...chosen.plan.taken.map(takenText)]} />
      <Stack gap="md">
        <Rows
          label={`Columns of ${fileName}`}
          columns={columnsOf(chosen, (at, field) =>
            choose(acquirer, { fileName, file, lists, mapping: withField(mapping, at, field) }),
          )}
          rows={names.map((name, at) => ({ name, at }))}
          keyOf={({ at }) => `${at}`}
        />
        {ignored.length > 0 && (
          <Text size="sm" c="dimmed" className="wraps" lineClamp={3}>
            Ignored: {ignored.join(', ')}.
          </Text>
        )}
      </Stack>
      <Preview {...chosen} />
    </Stack>
  );
}
