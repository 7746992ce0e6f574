import { Button, Group, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { labelOf } from '../../fields/wording.ts';
import { startExport } from '../../jobs/exporting.ts';
import { useJob } from '../../jobs/job.ts';
import { type Terminal, useTerminals } from '../../resources/data.ts';
import { Paged, SortSelect, useListPage } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { useActing } from '../../session/session.ts';
import { Id } from '../../shared/Copy.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { Section } from '../../shared/Section.tsx';
import { fileName } from '../../shared/save.ts';

const COLUMNS: Column<Terminal>[] = [
  { name: labelOf('terminal_id'), narrow: 'first', cell: ({ terminal_id }) => <Id text={terminal_id} /> },
  { name: labelOf('serial_no'), narrow: 'second', cell: ({ serial_no }) => <Id text={serial_no} /> },
  { name: labelOf('terminal_model'), narrow: 'second', cell: ({ terminal_model }) => terminal_model },
  { name: labelOf('payment_app'), narrow: 'hidden', cell: ({ payment_app }) => payment_app },
  { name: labelOf('status'), width: '8rem', narrow: 'end', cell: ({ status }) => <StatusBadge status={status} /> },
];

const LIST = {
  label: 'Terminals',
  columns: COLUMNS,
  keyOf: ({ tid }: Terminal) => tid,
  hrefOf: ({ tid }: Terminal) => paths.terminal(tid),
};

function ExportButton({ mid }: { mid: string }) {
  const { api, acquirer } = useActing();
  const key = `export ${acquirer.id} ${mid}`;
  const job = useJob(key);
  const start = () =>
    void startExport(api, key, { what: 'terminals', format: 'xlsx', mid }, fileName('xlsx', 'terminals', mid));
  return (
    <>
      <Button variant="default" leftSection={<Download size={16} />} loading={job?.stop !== undefined} onClick={start}>
        Export terminals
      </Button>
      {job?.error && <ProblemNotice error={job.error} onRetry={start} />}
    </>
  );
}

export function Terminals({ mid }: { mid: string }) {
  const { page, sort, onPage, onSort } = useListPage();
  const query = useTerminals(mid, { page, sort });
  const total = query.data?.meta.total ?? 0;
  return (
    <Section
      title="Terminals"
      end={
        <Group gap="sm" mih={36}>
          {total > 0 && <ExportButton mid={mid} />}
          {total > 1 && <SortSelect sort={sort} onSort={onSort} />}
        </Group>
      }
    >
      <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
        {({ data, meta }) =>
          meta.total === 0 ? (
            <Text c="dimmed">This branch has no terminals yet.</Text>
          ) : (
            <Paged meta={meta} isEmpty={data.length === 0} onPage={onPage}>
              <Rows {...LIST} rows={data} isOutdated={query.isPlaceholderData} />
            </Paged>
          )
        }
      </Loaded>
    </Section>
  );
}
