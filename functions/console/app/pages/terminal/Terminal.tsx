import { Button, Grid, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Archive, ArrowRight, Ellipsis, Pencil, RotateCcw, Smartphone, Trash2 } from 'lucide-react';
import type { ComponentType } from 'react';
import { useParams } from 'wouter';
import { ProblemError } from '../../request.ts';
import { type Permission, useMay } from '../../session/session.ts';
import { useDialog } from '../../shared/address.ts';
import { Identifier } from '../../shared/Copy.tsx';
import { Details } from '../../shared/Details.tsx';
import { type Terminal as Data, useActivity, useBranch, useTerminal } from '../../shared/data.ts';
import { texts as eventTexts } from '../../shared/eventTexts.ts';
import { refreshed } from '../../shared/guarded.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { Time } from '../../shared/Time.tsx';
import { BranchLink, Lines, Timeline } from '../../shared/Timeline.tsx';
import { texts as shared } from '../../shared/texts.ts';
import type { DialogProps } from '../../shared/useGuardedDialog.tsx';
import {
  ArchiveDialog,
  DeleteDialog,
  EditDialog,
  MoveDialog,
  RestoreDialog,
  SwapDialog,
  type TerminalDialog,
} from './dialogs.tsx';
import { texts } from './texts.ts';

const { fields } = shared;

const DIALOGS = new Map<string, { needs: Permission; Dialog: ComponentType<TerminalDialog> }>([
  ['move', { needs: 'change', Dialog: MoveDialog }],
  ['swap', { needs: 'change', Dialog: SwapDialog }],
  ['edit', { needs: 'change', Dialog: EditDialog }],
  ['archive', { needs: 'change', Dialog: ArchiveDialog }],
  ['restore', { needs: 'change', Dialog: RestoreDialog }],
  ['delete', { needs: 'delete', Dialog: DeleteDialog }],
]);

/** The changes that the role permits now. The two that a call is about most often are buttons. */
function Actions({ status, open }: { status: Data['status']; open: (dialog: string) => void }) {
  const mayChange = useMay('change');
  const mayDelete = useMay('delete');
  if (!mayChange) return null;
  const { actions } = texts;
  return (
    <>
      <Button leftSection={<ArrowRight size={16} aria-hidden />} onClick={() => open('move')}>
        {actions.move}
      </Button>
      {status === 'archived' ? (
        <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => open('restore')}>
          {actions.restore}
        </Button>
      ) : (
        <Button variant="default" leftSection={<Archive size={16} aria-hidden />} onClick={() => open('archive')}>
          {actions.archive}
        </Button>
      )}
      <Menu>
        <Menu.Target>
          <Button variant="default" px="sm" aria-label={actions.more}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Smartphone size={14} aria-hidden />} onClick={() => open('swap')}>
            {actions.swap}
          </Menu.Item>
          <Menu.Item leftSection={<Pencil size={14} aria-hidden />} onClick={() => open('edit')}>
            {actions.edit}
          </Menu.Item>
          {mayDelete && (
            <Menu.Item c="red" leftSection={<Trash2 size={14} aria-hidden />} onClick={() => open('delete')}>
              {actions.delete}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function View({ current, refresh }: Omit<DialogProps<Data>, 'onClose'>) {
  const terminal = current.data;
  const { status, archived_at, archive_reason, mid } = terminal;
  const [dialog, open, close] = useDialog();
  const { data: branch } = useBranch(mid);
  const { needs = 'read', Dialog } = DIALOGS.get(dialog ?? '') ?? {};
  const may = useMay(needs);
  const branches = new Map(branch ? [[mid, branch.data] as const] : []);
  return (
    <>
      <PageTitle
        title={texts.title(terminal.terminal_id)}
        badge={<StatusBadge status={status} size="lg" />}
        actions={<Actions status={status} open={open} />}
      >
        {[terminal.terminal_model, branch?.data.merchant_name, branch?.data.city].filter(Boolean).join(' · ')}
      </PageTitle>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md" component="section">
            <Title order={2}>{texts.details}</Title>
            <Details
              rows={[
                archived_at !== null && [
                  fields['archived_at'] as string,
                  <Time key="at" at={archived_at} capitalized />,
                ],
                archive_reason !== null && [fields['archive_reason'] as string, <bdi key="why">{archive_reason}</bdi>],
                [texts.branch, <BranchLink key="branch" mid={mid} branches={branches} />],
                [fields['mid'] as string, <Identifier key="mid" text={mid} />],
                [fields['terminal_id'] as string, <Identifier key="id" text={terminal.terminal_id} />],
                [
                  fields['serial_no'] as string,
                  terminal.serial_no === null ? shared.none : <Identifier key="serial" text={terminal.serial_no} />,
                ],
                [fields['terminal_model'] as string, terminal.terminal_model ?? shared.none],
                [fields['payment_app'] as string, terminal.payment_app ?? shared.none],
                [fields['acquirer_name'] as string, terminal.acquirer_name ?? shared.none],
                [fields['tid'] as string, <Identifier key="tid" text={terminal.tid} />],
                [fields['created_at'] as string, <Time key="created" at={terminal.created_at} capitalized />],
                [fields['updated_at'] as string, <Time key="updated" at={terminal.updated_at} capitalized />],
              ]}
            />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md" component="section">
            <Title order={2}>{eventTexts.title}</Title>
            <Timeline subject={{ tid: terminal.tid }} />
          </Stack>
        </Grid.Col>
      </Grid>
      {Dialog && may && (
        <Dialog key={terminal.tid} current={current} branch={branch?.data} refresh={refresh} onClose={close} />
      )}
    </>
  );
}

const isNotFound = (error: Error | null): boolean =>
  error instanceof ProblemError && error.problem.code === 'not_found';

/** What is known of a terminal that is not there. The history of one that was there stays readable. */
function Gone({ tid }: { tid: string }) {
  const { data, error } = useActivity({ tid });
  return (
    <>
      <PageTitle title={texts.gone.title}>{texts.gone.detail}</PageTitle>
      {!isNotFound(error) && (
        <Stack gap="md">
          {data && <Text>{texts.gone.known}</Text>}
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
  if (isNotFound(query.error)) return <Gone tid={tid} />;
  return (
    <Loaded
      query={query}
      heading={texts.name}
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
