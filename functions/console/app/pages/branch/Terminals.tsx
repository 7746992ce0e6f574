import { Group, Text } from '@mantine/core';
import { labelOf } from '../../fields/wording.ts';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { type Terminal, useTerminals } from '../../resources/data.ts';
import { Paged, SortSelect, useListPage } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
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

export function Terminals({ mid }: { mid: string }) {
  const { page, sort, onPage, onSort } = useListPage();
  const query = useTerminals(mid, { page, sort });
  const total = query.data?.meta.total ?? 0;
  const exporting = useExport(mid);
  return (
    <Section
      title="Terminals"
      end={
        <Group gap="sm" mih={36}>
          {total > 0 && (
            <ExportButton
              isDisabled={exporting.isRunning}
              onExport={(format) =>
                exporting.start({ what: 'terminals', format, mid }, fileName(format, 'terminals', mid))
              }
            />
          )}
          {total > 1 && <SortSelect sort={sort} onSort={onSort} />}
        </Group>
      }
    >
      {exporting.notice}
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
