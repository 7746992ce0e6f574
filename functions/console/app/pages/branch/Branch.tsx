import { Anchor, Button, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Archive, Pencil, Plus, RotateCcw } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { ProblemError } from '../../request.ts';
import { useMay } from '../../session/session.ts';
import { useDialog } from '../../shared/address.ts';
import { Identifier } from '../../shared/Copy.tsx';
import { Details } from '../../shared/Details.tsx';
import { type Branch as Data, nameOf, useAcquirerName, useBranch } from '../../shared/data.ts';
import { texts as eventTexts } from '../../shared/eventTexts.ts';
import { formatNumber } from '../../shared/format.ts';
import { refreshed } from '../../shared/guarded.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { Time } from '../../shared/Time.tsx';
import { Lines, Timeline } from '../../shared/Timeline.tsx';
import { texts as shared } from '../../shared/texts.ts';
import type { DialogProps } from '../../shared/useGuardedDialog.tsx';
import { AddDialog, ArchiveDialog, EditDialog, RestoreDialog } from './dialogs.tsx';
import { Terminals } from './Terminals.tsx';
import { texts } from './texts.ts';

/**
 * The dialogs, whatever the status: one that is open stays when somebody else archives or restores the branch, with what
 * was typed. The service refuses what the status does not permit.
 */
const DIALOGS = new Map<string, ComponentType<DialogProps<Data>>>([
  ['add', AddDialog],
  ['edit', EditDialog],
  ['archive', ArchiveDialog],
  ['restore', RestoreDialog],
]);

function Actions({ status, open }: { status: Data['status']; open: (dialog: string) => void }) {
  const { add, edit, archive, restore } = texts.actions;
  const editButton = (
    <Button variant="default" leftSection={<Pencil size={16} aria-hidden />} onClick={() => open('edit')}>
      {edit}
    </Button>
  );
  if (status === 'archived')
    return (
      <>
        {editButton}
        <Button leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => open('restore')}>
          {restore}
        </Button>
      </>
    );
  return (
    <>
      {editButton}
      <Button variant="default" leftSection={<Archive size={16} aria-hidden />} onClick={() => open('archive')}>
        {archive}
      </Button>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open('add')}>
        {add}
      </Button>
    </>
  );
}

function Facts({ branch }: { branch: Data }) {
  const acquirerName = useAcquirerName();
  const { fields, none } = shared;
  const row = (field: keyof Data, value: ReactNode): [string, ReactNode] => [fields[field] ?? '', value];
  return (
    <Details
      rows={[
        row('mid', <Identifier text={branch.mid} />),
        branch.archived_at !== null && row('archived_at', <Time at={branch.archived_at} capitalized />),
        row('existing_master_merchant', <bdi>{branch.master_merchant_name ?? none}</bdi>),
        row('master_merchant_id', <Identifier text={branch.master_merchant_id} />),
        row('area', <bdi>{branch.area ?? none}</bdi>),
        row('city', <bdi>{branch.city ?? none}</bdi>),
        row('payment_provider', <bdi>{acquirerName(branch.payment_provider)}</bdi>),
        row('distributor', <bdi>{branch.distributor === null ? none : acquirerName(branch.distributor)}</bdi>),
        [texts.terminals, formatNumber(branch.terminal_count)],
        row('created_at', <Time at={branch.created_at} capitalized />),
        row('updated_at', <Time at={branch.updated_at} capitalized />),
      ]}
    />
  );
}

function Head({ current, refresh }: Omit<DialogProps<Data>, 'onClose'>) {
  const branch = current.data;
  const [dialog, open, close] = useDialog();
  const mayChange = useMay('change');
  const Dialog = mayChange && DIALOGS.get(dialog ?? '');
  return (
    <>
      <PageTitle
        title={nameOf(branch)}
        badge={<StatusBadge status={branch.status} size="lg" />}
        actions={mayChange && <Actions status={branch.status} open={open} />}
      >
        <bdi>{[branch.area, branch.city].filter(Boolean).join(', ')}</bdi>
        {mayChange && branch.status === 'archived' && <Text>{texts.noMore}</Text>}
      </PageTitle>
      {Dialog && <Dialog key={branch.mid} current={current} refresh={refresh} onClose={close} />}
    </>
  );
}

const NotFound = ({ mid }: { mid: string }) => (
  <Stack gap="lg" align="flex-start">
    <PageTitle title={texts.notFound.title}>{texts.notFound.detail(mid)}</PageTitle>
    <Anchor component={Link} href="/branches">
      {texts.notFound.toBranches}
    </Anchor>
  </Stack>
);

/** The view of a branch. What it shows is read at once, and shown as it comes. */
export default function Branch() {
  const { mid = '' } = useParams();
  const query = useBranch(mid);
  const { error } = query;
  if (error instanceof ProblemError && error.problem.code === 'not_found') return <NotFound mid={mid} />;
  return (
    <>
      <Loaded
        query={query}
        outline={
          <>
            <Skeleton height={32} width={280} />
            <Skeleton height={16} width={120} />
          </>
        }
      >
        {(current) => <Head current={current} refresh={() => refreshed(query)} />}
      </Loaded>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md" component="section">
            <Group h={36}>
              <Title order={2}>{texts.details}</Title>
            </Group>
            {query.data ? <Facts branch={query.data.data} /> : <Lines count={9} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="xl">
            <Stack gap="md" component="section">
              <Terminals mid={mid} />
            </Stack>
            <Stack gap="md" component="section">
              <Title order={2}>{eventTexts.title}</Title>
              <Timeline subject={{ mid }} />
            </Stack>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
