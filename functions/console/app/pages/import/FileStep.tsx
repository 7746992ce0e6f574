import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { Download, FileText, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { BRANCH_FIELDS, type Field, matchColumns, TERMINAL_FIELDS } from '../../estate/columns.ts';
import { csvOf } from '../../estate/csv.ts';
import { MAX_ROWS, readCsv, UnreadableFile } from '../../estate/readCsv.ts';
import { useActing } from '../../session/session.ts';
import { useLookup } from '../../shared/data.ts';
import { formatNumber } from '../../shared/format.ts';
import { csvFile, save } from '../../shared/save.ts';
import { Head } from './Head.tsx';
import { texts } from './texts.ts';
import { type Chosen, choose } from './work.ts';

/** Two rows as an example: a terminal with its branch, and a branch without terminals. */
const EXAMPLES: Partial<Record<Field, string>>[] = [
  {
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
    terminal_id: 'EXAMPLET1',
    serial_no: 'EXAMPLES1',
    terminal_model: 'Handheld 2',
  },
  {
    mid: 'EXAMPLE0002',
    branch_name: 'Harbour Bikes Foz',
    area: 'Foz',
    city: 'Porto',
    master_merchant_id: 'HARBOURBIKES',
    master_merchant_name: 'Harbour Bikes',
    email: 'office@harbourbikes.example',
    country_code: 'PT',
    phone: '+351 220 000 000',
    mcc: '5940',
    country: 'Portugal',
  },
];

/** A button that saves a file with all columns. A distributor's examples name one of its payment providers. */
function Template() {
  const isDistributor = useActing().acquirer.type === 'DISTRIBUTOR';
  const { data: [partner] = [] } = useLookup('paymentProviders');
  const columns = [...BRANCH_FIELDS, ...TERMINAL_FIELDS];
  const provider = isDistributor && partner ? { payment_provider: partner.key } : {};
  const rows = EXAMPLES.map((example) => columns.map((field) => ({ ...example, ...provider })[field]));
  return (
    <Group gap="md">
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        onClick={() => save(csvFile(csvOf([columns, ...rows], { isFirst: true })), `${texts.file.templateName}.csv`)}
      >
        {texts.file.template}
      </Button>
      <Text size="sm" c="dimmed">
        {texts.file.templateDetail}
      </Text>
    </Group>
  );
}

/** What is wrong with a file. */
function mistakeIn(error: unknown): string {
  if (!(error instanceof UnreadableFile)) return texts.file.failed;
  const mistake = texts.file.unreadable[error.code];
  return error.line === undefined ? mistake : texts.file.atLine(formatNumber(error.line), mistake);
}

/** Chooses a file: dropped anywhere on the view, or by the button. */
export function FileStep({ chosen, onNext }: { chosen: Chosen | undefined; onNext: () => void }) {
  const { acquirer } = useActing();
  const [isReading, setIsReading] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const [mistake, setMistake] = useState<string>();
  // The same file can be chosen again after a correction.
  const reset = useRef<() => void>(null);

  const read = async (files: File[]) => {
    const [file] = files;
    if (!file || isReading) return;
    if (files.length > 1) return setMistake(texts.file.several);
    setMistake(undefined);
    setIsReading(true);
    try {
      const csv = await readCsv(file);
      choose(acquirer, { fileName: file.name, file: csv, mapping: matchColumns(csv.header) });
      onNext();
    } catch (error) {
      setMistake(mistakeIn(error));
    } finally {
      setIsReading(false);
      reset.current?.();
    }
  };
  const drop = useRef(read);
  drop.current = read;

  useEffect(() => {
    const stop = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) =>
      addEventListener(name, handle, { signal: stop.signal });
    on('dragover', (event) => {
      event.preventDefault();
      setIsOver(true);
    });
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setIsOver(false));
    on('drop', (event) => {
      event.preventDefault();
      setIsOver(false);
      void drop.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => stop.abort();
  }, []);

  return (
    <Stack gap="xl">
      <Head title={texts.file.title}>{texts.file.intro}</Head>
      <Stack
        align="center"
        gap="md"
        py={48}
        px="lg"
        bdrs="lg"
        bd={`1px dashed var(--mantine-color-${isOver ? 'blue-filled' : 'placeholder'})`}
        {...(isOver && { bg: 'var(--mantine-color-blue-light)' })}
      >
        <FileText size={32} strokeWidth={1.5} aria-hidden />
        <Text fw={600}>{texts.file.drop}</Text>
        <FileButton
          onChange={(file) => void read(file ? [file] : [])}
          accept=".csv,.tsv,.txt,text/csv"
          resetRef={reset}
        >
          {(props) => (
            <Button {...props} loading={isReading}>
              {texts.file.choose}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" ta="center">
          {texts.file.limits(formatNumber(MAX_ROWS))}
        </Text>
      </Stack>
      {mistake && (
        <Alert color="red" role="alert" className="wraps" icon={<TriangleAlert size={18} aria-hidden />}>
          {mistake}
        </Alert>
      )}
      {chosen && !isReading && (
        <Group gap="md">
          <Text className="wraps">{texts.file.kept(chosen.fileName)}</Text>
          <Button variant="default" size="xs" onClick={onNext}>
            {texts.file.continue}
          </Button>
        </Group>
      )}
      <Template />
    </Stack>
  );
}
