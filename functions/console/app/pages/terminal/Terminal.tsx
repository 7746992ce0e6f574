import { Button, Grid, Menu, Skeleton, Stack, Text } from '@mantine/core';
import { Archive, ArrowRight, Ellipsis, Pencil, RotateCcw, Smartphone, Trash2 } from 'lucide-react';
import { useParams } from 'wouter';
import { isProblem } from '../../request.ts';
import { useMay } from '../../session/session.ts';
import { ownValue, useDialog } from '../../shared/address.ts';
import { Identifier } from '../../shared/Copy.tsx';
import { Details } from '../../shared/Details.tsx';
import { type SeenTerminal as Data, useActivity, useBranch, useTerminal } from '../../shared/data.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { Section } from '../../shared/Section.tsx';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { Time } from '../../shared/Time.tsx';
import { BranchLink, Lines, Timeline } from '../../shared/Timeline.tsx';
import { type DialogProps, refreshed } from '../../shared/useGuardedDialog.tsx';
import { ArchiveDialog, DeleteDialog, EditDialog, MoveDialog, RestoreDialog, SwapDialog } from './dialogs.tsx';

/** What can be done with a terminal, by the name of its dialog in the address. */
const ACTIONS = {
  move: { label: 'Move', icon: ArrowRight, Dialog: MoveDialog },
  swap: { label: 'Swap device', icon: Smartphone, Dialog: SwapDialog },
  edit: { label: 'Edit', icon: Pencil, Dialog: EditDialog },
  archive: { label: 'Archive', icon: Archive, Dialog: ArchiveDialog },
  restore: { label: 'Restore', icon: RotateCcw, Dialog: RestoreDialog },
  delete: { label: 'Delete', icon: Trash2, Dialog: DeleteDialog },
};
type Action = keyof typeof ACTIONS;

/** The changes that the role permits now. Those that calls are about are buttons. */
function Actions({ status, open }: { status: Data['status']; open: (action: Action) => void }) {
  const mayChange = useMay('change');
  const mayDelete = useMay('delete');
  if (!mayChange) return null;
  const button = (action: Action, variant: 'filled' | 'default') => {
    const { label, icon: Icon } = ACTIONS[action];
    return (
      <Button variant={variant} leftSection={<Icon size={16} />} onClick={() => open(action)}>
        {label}
      </Button>
    );
  };
  const item = (action: Action) => {
    const { label, icon: Icon } = ACTIONS[action];
    const color = action === 'delete' && { c: 'red' };
    return (
      <Menu.Item leftSection={<Icon size={14} />} onClick={() => open(action)} {...color}>
        {label}
      </Menu.Item>
    );
  };
  return (
    <>
      {button('swap', 'filled')}
      {button('move', 'default')}
      {button(status === 'archived' ? 'restore' : 'archive', 'default')}
      <Menu>
        <Menu.Target>
          <Button variant="default" px="sm" aria-label="More actions">
            <Ellipsis size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {item('edit')}
          {mayDelete && item('delete')}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function View({ current, refresh }: Omit<DialogProps<Data>, 'onClose'>) {
  const terminal = current.data;
  const { status, archived_at, archive_reason, mid, last_seen_at } = terminal;
  const [dialog, open, close] = useDialog();
  const { data: branch } = useBranch(mid);
  const may = useMay(dialog === 'delete' ? 'delete' : 'change');
  const { Dialog } = (may && ownValue(ACTIONS, dialog)) || {};
  const branches = new Map(branch ? [[mid, branch.data] as const] : []);
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
        actions={<Actions status={status} open={open} />}
      >
        {[terminal.terminal_model, branch?.data.merchant_name, branch?.data.city].filter(Boolean).join(' · ')}
      </PageTitle>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Details">
            <Details
              rows={[
                archived_at !== null && ['archived_at', <Time key="at" at={archived_at} />],
                archive_reason !== null && ['archive_reason', <bdi key="why">{archive_reason}</bdi>],
                ['Branch', <BranchLink key="branch" mid={mid} branches={branches} />],
                ['mid', <Identifier key="mid" text={mid} />],
                ['terminal_id', <Identifier key="id" text={terminal.terminal_id} />],
                ['serial_no', terminal.serial_no && <Identifier key="serial" text={terminal.serial_no} />],
                ['terminal_model', terminal.terminal_model],
                ['payment_app', terminal.payment_app],
                ['acquirer_name', terminal.acquirer_name],
                last_seen_at !== undefined && [
                  'last_seen_at',
                  last_seen_at === null ? 'Never' : <Time key="seen" at={last_seen_at} />,
                ],
                ['tid', <Identifier key="tid" text={terminal.tid} />],
                ['created_at', <Time key="created" at={terminal.created_at} />],
                ['updated_at', <Time key="updated" at={terminal.updated_at} />],
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
      <PageTitle title="This terminal does not exist">
        It was deleted, or it is at a branch that is not accessible to you.
      </PageTitle>
      {!isProblem(error, 'not_found') && (
        <Stack gap="md">
          {data && <Text>This is what happened to it:</Text>}
          <Timeline subject={{ tid }} />
        </Stack>
      )}
    </>
  );
}

/** The view of a terminal. */
export default function Terminal() {
  const { tid = '' } = useParams();
  const query = useTerminal(tid);
  if (isProblem(query.error, 'not_found')) return <Gone tid={tid} />;
  return (
    <Loaded
      query={query}
      heading="Terminal"
      outline={
        <>
          <Skeleton height={32} width={280} />
          <Lines count={8} />
        </>
      }
    >
      {(current) => <View current={current} refresh={() => refreshed(query)} />}
    </Loaded>
  );
}
