import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { FileText, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { BRANCH_FIELDS, type BranchField, type Field, TERMINAL_FIELDS } from '../../fields/fields.ts';
import type { Lists } from '../../fields/listed.ts';
import { columnName, matchColumns } from '../../fields/matchColumns.ts';
import { readFile } from '../../files/readFile.ts';
import { MAX_ROWS, UnreadableFile } from '../../files/unreadable.ts';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { useLeaving } from '../../shared/useLeaving.ts';
import { Head } from './Head.tsx';
import { type Chosen, choose } from './importJob.ts';
import { SaveWorkbook } from './SaveWorkbook.tsx';

/** An example of each field that is typed. */
const BRANCH: Record<Exclude<BranchField, 'payment_provider' | 'distributor' | 'existing_master_merchant'>, string> = {
  mid: 'EXAMPLE0001',
  branch_name: 'Harbour Bikes Ribeira',
  area: 'Ribeira',
  city: 'Porto',
  master_merchant_id: 'HARBOURBIKES',
  master_merchant_name: 'Harbour Bikes',
  email: 'office@harbourbikes.example',
  country_code: 'PT',
  phone: '+351 220 000 000',
  mcc: '5940',
  country: 'Portugal',
};
/** Two rows as an example: a terminal with its branch, and a branch without terminals. */
const EXAMPLES: Partial<Record<Field, string>>[] = [
  { ...BRANCH, terminal_id: 'EXAMPLET1', serial_no: 'EXAMPLES1', terminal_model: 'Handheld 2' },
  { ...BRANCH, mid: 'EXAMPLE0002', branch_name: 'Harbour Bikes Foz', area: 'Foz' },
];

/** A workbook to fill in, without columns that say what the others do. A distributor's examples name a provider. */
function Template({ lists }: { lists: Lists }) {
  const isDistributor = useActing().acquirer.type === 'DISTRIBUTOR';
  const left: Field[] = ['existing_master_merchant', isDistributor ? 'distributor' : 'payment_provider'];
  const columns = [...BRANCH_FIELDS, ...TERMINAL_FIELDS].filter((field) => !left.includes(field));
  const partner = isDistributor ? { payment_provider: lists.payment_provider?.[0]?.text } : {};
  const rows = EXAMPLES.map((example) => columns.map((field) => ({ ...example, ...partner })[field]));
  return (
    <Group gap="md">
      <SaveWorkbook name="import-template.xlsx" rows={() => [columns.map(columnName), ...rows]}>
        Download a template
      </SaveWorkbook>
      <Text size="sm" c="dimmed" className="grows">
        A workbook with two rows as an example. You need not fill all columns.
      </Text>
    </Group>
  );
}

const NOT_READ = 'The file could not be read. It may have been moved or changed: choose it again.';

/** Chooses a file: dropped anywhere on the view, or by the button. */
export function FileStep({ chosen, lists, onNext }: { chosen: Chosen | undefined; lists: Lists; onNext: () => void }) {
  const { acquirer } = useActing();
  const [isReading, setIsReading] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const [mistake, setMistake] = useState<string>();
  const leaving = useLeaving();
  // The same file can be chosen again after a correction.
  const reset = useRef<() => void>(null);

  const read = async (files: File[]) => {
    const [file] = files;
    if (!file || isReading) return;
    if (files.length > 1) return setMistake('Choose one file at a time.');
    setMistake(undefined);
    setIsReading(true);
    try {
      const csv = await readFile(file, leaving.current.signal);
      choose(acquirer, { fileName: file.name, file: csv, mapping: matchColumns(csv.header), lists });
      onNext();
    } catch (error) {
      setMistake(error instanceof UnreadableFile ? error.message : NOT_READ);
    } finally {
      setIsReading(false);
      reset.current?.();
    }
  };

  useWindowEvent('dragover', (event) => {
    event.preventDefault();
    setIsOver(true);
  });
  useWindowEvent('dragleave', ({ relatedTarget }) => relatedTarget === null && setIsOver(false));
  useWindowEvent('drop', (event) => {
    event.preventDefault();
    setIsOver(false);
    void read([...(event.dataTransfer?.files ?? [])]);
  });

  return (
    <Stack gap="xl">
      <Head title="Choose a spreadsheet">
        Each row is a terminal with its branch, or a branch without terminals. A branch with three terminals has three
        rows, each with the same fields of the branch. For a branch that exists, the MID is enough. To update terminals,
        their terminal IDs are enough.
      </Head>
      <Stack
        align="center"
        gap="md"
        py={48}
        px="lg"
        bdrs="lg"
        bd={`1px dashed var(--mantine-color-${isOver ? 'blue-filled' : 'placeholder'})`}
        {...(isOver && { bg: 'var(--mantine-color-blue-light)' })}
      >
        <FileText size={32} strokeWidth={1.5} />
        <Text fw={600}>Drop an Excel workbook or a CSV file here</Text>
        <FileButton
          onChange={(file) => void read(file ? [file] : [])}
          accept=".xlsx,.csv,.tsv,.txt,text/csv"
          resetRef={reset}
        >
          {(props) => (
            <Button {...props} loading={isReading}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" ta="center">
          At most {formatNumber(MAX_ROWS)} rows and 10 MB. You see what will be created or changed before anything is.
        </Text>
      </Stack>
      {mistake && (
        <Alert color="red" role="alert" className="wraps" icon={<TriangleAlert size={18} />}>
          {mistake}
        </Alert>
      )}
      {chosen && !isReading && (
        <Group gap="md">
          <Text className="wraps">{chosen.fileName} is chosen.</Text>
          <Button variant="default" size="xs" onClick={onNext}>
            Continue with it
          </Button>
        </Group>
      )}
      <Template lists={lists} />
    </Stack>
  );
}
