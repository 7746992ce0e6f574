import { Grid, Stack, Text } from '@mantine/core';
import { Archive, ArrowRight, Pencil, RotateCcw, Smartphone, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { type DialogProps, refreshed } from '../../changes/useGuardedDialog.tsx';
import { TERMINAL, TERMINAL_FIELDS } from '../../fields/fields.ts';
import { PARTNERSHIP_ENDED } from '../../fields/wording.ts';
import { Details } from '../../resources/Details.tsx';
import {
  type SeenTerminal as Data,
  nameOf,
  useActivity,
  useBranch,
  usePartnershipEnded,
  useTerminal,
} from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { NotThere, PageTitle, TitleOutline } from '../../resources/PageTitle.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { Lines, Timeline } from '../../resources/Timeline.tsx';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { ownValue, useDialog } from '../../shared/address.ts';
import { Identifier } from '../../shared/Copy.tsx';
import { Section } from '../../shared/Section.tsx';
import { Time } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { ArchiveDialog, DeleteDialog, MoveDialog, RestoreDialog } from './dialogs.tsx';
import { EditDialog, SwapDialog } from './editDialogs.tsx';

/** The fields of a terminal that are no identifiers. */
const DETAILS = TERMINAL_FIELDS.filter((name) => !TERMINAL[name].isScanned);

/** What can be done with a terminal, by the name of its dialog in the address. */
const ACTIONS = {
  move: { label: 'Move', icon: ArrowRight, Dialog: MoveDialog },
  swap: { label: 'Swap device', icon: Smartphone, Dialog: SwapDialog },
  edit: { label: 'Edit', icon: Pencil, Dialog: EditDialog, as: 'more' as const },
  archive: { label: 'Archive', icon: Archive, Dialog: ArchiveDialog },
  restore: { label: 'Restore', icon: RotateCcw, Dialog: RestoreDialog },
  delete: { label: 'Delete', icon: Trash2, Dialog: DeleteDialog, as: 'more' as const, isDangerous: true },
};

/** What is offered, the main button first. */
const OFFERED = {
  active: ['swap', 'move', 'archive', 'edit', 'delete'],
  archived: ['restore', 'move', 'swap', 'edit', 'delete'],
} as const;

function View({ current, refresh }: Omit<DialogProps<Data>, 'onClose'>) {
  const terminal = current.data;
  const { status, archived_at, archive_reason, mid, last_seen_at } = terminal;
  const [dialog, open, close] = useDialog();
  const { data: branch } = useBranch(mid);
  const place = [branch?.data.area, branch?.data.city].filter(Boolean).join(', ');
  const mayChange = useMay('change');
  const mayDelete = useMay('delete');
  const isEnded = usePartnershipEnded(branch?.data.payment_provider);
  const { Dialog } = ((dialog === 'delete' ? mayDelete : mayChange) && ownValue(ACTIONS, dialog)) || {};
  const actions = OFFERED[status]
    .filter((name) => mayDelete || name !== 'delete')
    .map((name, at) => ({ ...ACTIONS[name], ...(at === 0 && { as: 'filled' as const }), onClick: () => open(name) }));
  return (
    <>
      <PageTitle
        title={`Terminal ${terminal.terminal_id}`}
        badge={
          <>
            <StatusBadge status={status} size="lg" />
            {status === 'active' && branch?.data.status === 'archived' && (
              <Text c="dimmed">Its branch is archived.</Text>
            )}
          </>
        }
        trail={[
          ['Branches', '/branches'],
          [branch ? nameOf(branch.data) : mid, paths.branch(mid)],
        ]}
        actions={mayChange && !isEnded && <Actions actions={actions} />}
      >
        <Verbatim>{[terminal.terminal_model, place].filter(Boolean).join(' · ')}</Verbatim>
        {mayChange && isEnded && <Text>{PARTNERSHIP_ENDED}</Text>}
      </PageTitle>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Details">
            <Details
              rows={[
                archived_at !== null && ['archived_at', <Time key="at" at={archived_at} />],
                archive_reason !== null && ['archive_reason', <bdi key="why">{archive_reason}</bdi>],
                ['terminal_id', <Identifier key="id" text={terminal.terminal_id} />],
                ['serial_no', terminal.serial_no && <Identifier key="serial" text={terminal.serial_no} />],
                ...DETAILS.map((name): [string, ReactNode] => [name, terminal[name]]),
                last_seen_at !== undefined && [
                  'last_seen_at',
                  last_seen_at === null ? 'Never' : <Time key="seen" at={last_seen_at} />,
                ],
                ['mid', <Identifier key="mid" text={mid} />],
                ['updated_at', <Time key="updated" at={terminal.updated_at} />],
              ]}
              more={[
                ['tid', <Identifier key="tid" text={terminal.tid} />],
                ['created_at', <Time key="created" at={terminal.created_at} />],
              ]}
            />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Timeline">
            <Timeline subject={{ tid: terminal.tid }} />
          </Section>
        </Grid.Col>
      </Grid>
      {Dialog && (
        <Dialog key={terminal.tid} current={current} branch={branch?.data} refresh={refresh} onClose={close} />
      )}
    </>
  );
}

/** What is known of a terminal that is not there. The history of one that was there stays readable. */
function Gone({ tid }: { tid: string }) {
  const { data, error } = useActivity({ tid });
  return (
    <>
      <NotThere title="This terminal does not exist">
        It was deleted, or it is at a branch that is not accessible to you.
      </NotThere>
      {!isProblem(error, 'not_found') && (
        <Stack gap="md">
          {data && <Text>This is what happened to it:</Text>}
          <Timeline subject={{ tid }} />
        </Stack>
      )}
    </>
  );
}

export default function Terminal() {
  const { tid = '' } = useParams();
  const query = useTerminal(tid);
  const mayChange = useMay('change');
  if (isProblem(query.error, 'not_found')) return <Gone tid={tid} />;
  return (
    <Loaded
      query={query}
      heading="Terminal"
      outline={
        <>
          <TitleOutline trail={[['Branches', '/branches']]} hasActions={mayChange} />
          <Lines count={8} />
        </>
      }
    >
      {(current) => <View current={current} refresh={() => refreshed(query)} />}
    </Loaded>
  );
}
