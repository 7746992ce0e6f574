import { Text } from '@mantine/core';
import { Archive, Pencil, Plus, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { type DialogProps, refreshed } from '../../changes/useGuardedDialog.tsx';
import { EDITED_OF_BRANCH } from '../../fields/fields.ts';
import { PARTNERSHIP_ENDED } from '../../fields/wording.ts';
import { Details } from '../../resources/Details.tsx';
import { type Branch as Data, nameOf, useAcquirerName, useBranch, usePartnershipEnded } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { NotThere, PageTitle, TitleOutline } from '../../resources/PageTitle.tsx';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { Lines, Timeline } from '../../resources/Timeline.tsx';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { ownValue, useDialog } from '../../shared/address.ts';
import { Identifier } from '../../shared/Copy.tsx';
import { formatNumber } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { Time } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { AddDialog, ArchiveDialog, EditDialog, RestoreDialog } from './dialogs.tsx';
import { Terminals } from './Terminals.tsx';

/** By the name of its dialog in the address. An open one stays, with what was typed, when somebody else archives it. */
const ACTIONS = {
  edit: { label: 'Edit', icon: Pencil, Dialog: EditDialog },
  archive: { label: 'Archive', icon: Archive, Dialog: ArchiveDialog },
  restore: { label: 'Restore', icon: RotateCcw, Dialog: RestoreDialog, as: 'filled' as const },
  add: { label: 'Add terminals', icon: Plus, Dialog: AddDialog, as: 'filled' as const },
};

const offeredOf = ({ status }: Data): (keyof typeof ACTIONS)[] =>
  status === 'archived' ? ['edit', 'restore'] : ['edit', 'archive', 'add'];

/** The fields of a branch that are shown as they were typed, but for its name, which is the title. */
const DETAILS = EDITED_OF_BRANCH.filter((name) => name !== 'branch_name') as ('area' | 'city')[];

function Facts({ branch }: { branch: Data }) {
  const acquirerName = useAcquirerName();
  const text = (value: string | null) => <Verbatim>{value ?? 'None'}</Verbatim>;
  return (
    <Details
      rows={[
        ['mid', <Identifier key="mid" text={branch.mid} />],
        branch.archived_at !== null && ['archived_at', <Time key="archived" at={branch.archived_at} />],
        ['existing_master_merchant', text(branch.master_merchant_name)],
        ['master_merchant_id', <Identifier key="business" text={branch.master_merchant_id} />],
        ...DETAILS.map((name): [string, ReactNode] => [name, text(branch[name])]),
        ['payment_provider', text(acquirerName(branch.payment_provider))],
        ['distributor', text(branch.distributor && acquirerName(branch.distributor))],
        ['terminal_count', formatNumber(branch.terminal_count)],
        ['created_at', <Time key="created" at={branch.created_at} />],
        ['updated_at', <Time key="updated" at={branch.updated_at} />],
      ]}
    />
  );
}

function Head({ current, refresh }: Omit<DialogProps<Data>, 'onClose'>) {
  const branch = current.data;
  const [dialog, open, close] = useDialog();
  const mayChange = useMay('change');
  const isEnded = usePartnershipEnded(branch.payment_provider);
  const { Dialog } = (mayChange && ownValue(ACTIONS, dialog)) || {};
  const actions = offeredOf(branch).map((name) => ({ ...ACTIONS[name], onClick: () => open(name) }));
  return (
    <>
      <PageTitle
        title={nameOf(branch)}
        isName
        badge={<StatusBadge status={branch.status} size="lg" />}
        trail={[['Branches', '/branches']]}
        actions={mayChange && !isEnded && <Actions actions={actions} />}
      >
        <Verbatim>{[branch.area, branch.city].filter(Boolean).join(', ')}</Verbatim>
        {mayChange && isEnded && <Text>{PARTNERSHIP_ENDED}</Text>}
        {mayChange && !isEnded && branch.status === 'archived' && (
          <Text>The branch is archived: restore it to add terminals.</Text>
        )}
      </PageTitle>
      {Dialog && <Dialog key={branch.mid} current={current} refresh={refresh} onClose={close} />}
    </>
  );
}

const NotFound = ({ mid }: { mid: string }) => (
  <NotThere title="There is no such branch">
    No branch with the MID <Verbatim>{mid}</Verbatim> exists, or it belongs to somebody else. Check the MID: capital and
    small letters differ. Or look for the branch by its name.
  </NotThere>
);

export default function Branch() {
  const { mid = '' } = useParams();
  const query = useBranch(mid);
  const isEnded = usePartnershipEnded(query.data?.data.payment_provider);
  const mayChange = useMay('change');
  if (isProblem(query.error, 'not_found')) return <NotFound mid={mid} />;
  return (
    <>
      <Loaded query={query} outline={<TitleOutline trail={[['Branches', '/branches']]} hasActions={mayChange} />}>
        {(current) => <Head current={current} refresh={() => refreshed(query)} />}
      </Loaded>
      {(query.data || !query.error) && (
        <div className="sides">
          <Terminals mid={mid} maySwap={mayChange && !isEnded} />
          <Section title="Details">{query.data ? <Facts branch={query.data.data} /> : <Lines count={9} />}</Section>
          <Section title="Timeline">
            <Timeline subject={{ mid }} />
          </Section>
        </div>
      )}
    </>
  );
}
