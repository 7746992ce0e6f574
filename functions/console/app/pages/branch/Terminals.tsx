import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { labelOf } from '../../fields/wording.ts';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { type SeenTerminal, useTerminals } from '../../resources/data.ts';
import { BY_AGE, Paged, pageOf, SortSelect, useListPage } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { Id } from '../../shared/Copy.tsx';
import { type Column, ColumnTime, Rows } from '../../shared/Rows.tsx';
import { Section } from '../../shared/Section.tsx';
import { fileName } from '../../shared/save.ts';

const SEEN = labelOf('last_seen_at');

const COLUMNS: Column<SeenTerminal>[] = [
  { name: labelOf('terminal_id'), narrow: 'first', cell: ({ terminal_id }) => <Id text={terminal_id} /> },
  { name: labelOf('serial_no'), narrow: 'second', cell: ({ serial_no }) => <Id text={serial_no} /> },
  { name: labelOf('terminal_model'), narrow: 'second', cell: ({ terminal_model }) => terminal_model },
  { name: labelOf('payment_app'), narrow: 'spare', cell: ({ payment_app }) => payment_app },
  {
    name: SEEN,
    width: '9rem',
    narrow: 'below',
    cell: ({ last_seen_at }) => (last_seen_at ? <ColumnTime name={SEEN} at={last_seen_at} /> : <span>Never seen</span>),
  },
];

const archived = ({ status }: SeenTerminal) => status === 'archived' && <StatusBadge status={status} />;

const STATUS: Column<SeenTerminal> = { name: labelOf('status'), width: '8rem', narrow: 'end', cell: archived };

/** What a person who may change terminals does first with one that is dead. Its dialog is in the terminal's view. */
const SWAP: Column<SeenTerminal> = {
  ...STATUS,
  name: 'Actions',
  cell: (terminal) =>
    archived(terminal) || (
      <Button
        component={Link}
        href={`${paths.terminal(terminal.tid)}?do=swap`}
        variant="default"
        size="compact-sm"
        aria-label={`Swap the device of ${terminal.terminal_id}`}
      >
        Swap
      </Button>
    ),
};

const ORDERS = { silent: 'Silent first', ...BY_AGE };

/** Sorts terminals, which are the oldest first. Archived ones are silent for a reason: they come last. */
function sorted(terminals: readonly SeenTerminal[], sort: keyof typeof ORDERS): readonly SeenTerminal[] {
  if (sort === 'asc') return terminals;
  if (sort === 'desc') return terminals.toReversed();
  const { active = [], archived = [] } = Object.groupBy(terminals, ({ status }) => status);
  const time = ({ last_seen_at }: SeenTerminal) => (last_seen_at ? Date.parse(last_seen_at) : 0);
  return [...active.toSorted((one, other) => time(one) - time(other)), ...archived];
}

/** The terminals of a branch. `maySwap`: each can get another device from here. */
export function Terminals({ mid, maySwap }: { mid: string; maySwap: boolean }) {
  const { page, sort, onPage, onSort } = useListPage(ORDERS);
  const query = useTerminals(mid);
  const total = query.data?.length ?? 0;
  const exporting = useExport(mid);
  const list = {
    label: 'Terminals',
    columns: [...COLUMNS, maySwap ? SWAP : STATUS],
    keyOf: ({ tid }: SeenTerminal) => tid,
    hrefOf: ({ tid }: SeenTerminal) => paths.terminal(tid),
  };
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
          {total > 1 && <SortSelect orders={ORDERS} sort={sort} onSort={onSort} />}
        </Group>
      }
    >
      {exporting.notice}
      <Loaded query={query} outline={<Rows {...list} rows={undefined} />}>
        {(terminals) => {
          if (terminals.length === 0) return <Text c="dimmed">This branch has no terminals yet.</Text>;
          const { data, meta } = pageOf(sorted(terminals, sort), page);
          return (
            <Paged meta={meta} isEmpty={data.length === 0} onPage={onPage}>
              <Rows {...list} rows={data} />
            </Paged>
          );
        }}
      </Loaded>
    </Section>
  );
}
