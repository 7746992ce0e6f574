import { Group, Text, Title } from '@mantine/core';
import { paths } from '../../shared/address.ts';
import { type Terminal, useTerminals } from '../../shared/data.ts';
import { ExportButton } from '../../shared/ExportButton.tsx';
import { Paged, SortSelect, useListPage } from '../../shared/ListPages.tsx';
import { Loaded } from '../../shared/Loaded.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { texts } from './texts.ts';

const { fields } = shared;

const COLUMNS: Column<Terminal>[] = [
  { name: fields['terminal_id'] ?? '', narrow: 'first', cell: ({ terminal_id }) => terminal_id },
  { name: fields['serial_no'] ?? '', narrow: 'second', cell: ({ serial_no }) => serial_no },
  { name: fields['terminal_model'] ?? '', narrow: 'second', cell: ({ terminal_model }) => terminal_model },
  { name: fields['payment_app'] ?? '', narrow: 'hidden', cell: ({ payment_app }) => payment_app },
  { name: fields['status'] ?? '', width: '8rem', narrow: 'end', cell: ({ status }) => <StatusBadge status={status} /> },
];

const LIST = {
  label: texts.terminals,
  columns: COLUMNS,
  keyOf: ({ tid }: Terminal) => tid,
  hrefOf: ({ tid }: Terminal) => paths.terminal(tid),
};

/** The terminals of a branch. */
export function Terminals({ mid }: { mid: string }) {
  const { page, sort, onPage, onSort } = useListPage();
  const query = useTerminals(mid, { page, sort });
  const total = query.data?.meta.total ?? 0;
  return (
    <>
      <Group justify="space-between" mih={36}>
        <Title order={2}>{texts.terminals}</Title>
        <Group gap="sm">
          {total > 0 && <ExportButton mid={mid} label={texts.export} />}
          {total > 1 && <SortSelect sort={sort} onSort={onSort} />}
        </Group>
      </Group>
      <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
        {({ data, meta }) =>
          meta.total === 0 ? (
            <Text c="dimmed">{texts.noTerminals}</Text>
          ) : (
            <Paged meta={meta} isEmpty={data.length === 0} onPage={onPage}>
              <Rows {...LIST} rows={data} isOutdated={query.isPlaceholderData} />
            </Paged>
          )
        }
      </Loaded>
    </>
  );
}
