import { Button, Group, Stack, Text } from '@mantine/core';
import { Plus, Upload } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { BRANCH_COLUMNS, branchCells, type Format } from '../../bulk/export.ts';
import { askEstate, useAnswer, useEstateStatus } from '../../estate/estatePage.ts';
import { MOST } from '../../estate/most.ts';
import { branchesText, labelOf, terminalsText } from '../../fields/wording.ts';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { inChunks, useSaving } from '../../jobs/useSaving.tsx';
import { type ListedBranch, PER_PAGE, UNNAMED, useBranches } from '../../resources/data.ts';
import { FacetBar, FacetSheet } from '../../resources/Facets.tsx';
import { BY_AGE, Nothing, Paged, SortSelect, useListPage } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { Id } from '../../shared/Copy.tsx';
import { formatNumber } from '../../shared/format.ts';
import { useIsNarrow } from '../../shared/narrow.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { fileName } from '../../shared/save.ts';
import { UNSEARCHABLE } from '../../shared/searchedText.ts';
import { Day } from '../../shared/Time.tsx';
import { ORDERS, useBranchCriteria } from './filters.ts';
import { SearchField } from './SearchField.tsx';

/** A branch in the list. How many of its terminals are active is known from the estate only. */
type Listed = ListedBranch & { active?: number };

interface Page {
  data: Listed[];
  meta: ComponentProps<typeof Paged>['meta'];
  warnings?: { detail: string }[];
}

const COLUMNS: Column<Listed>[] = [
  {
    name: labelOf('merchant_name'),
    width: '28%',
    narrow: 'first',
    cell: ({ merchant_name }) => merchant_name ?? UNNAMED,
  },
  { name: labelOf('mid'), narrow: 'second', cell: ({ mid }) => <Id text={mid} /> },
  { name: 'Place', narrow: 'second', cell: ({ area, city }) => [area, city].filter(Boolean).join(', ') || null },
  {
    name: 'Business',
    narrow: 'hidden',
    cell: ({ master_merchant_name, master_merchant_id }) => master_merchant_name ?? master_merchant_id,
  },
  { name: labelOf('created_at'), width: '8rem', narrow: 'spare', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    name: labelOf('status'),
    width: '8rem',
    narrow: 'end',
    cell: ({ status }) => status === 'archived' && <StatusBadge status={status} />,
  },
];

const ACTIVE: Column<Listed> = {
  name: 'Active terminals',
  width: '6rem',
  narrow: 'hidden',
  cell: ({ active }) => active !== undefined && formatNumber(active),
};
const WITH_ACTIVE = COLUMNS.toSpliced(4, 0, ACTIVE);

const LIST = {
  label: 'Branches',
  keyOf: ({ mid }: Listed) => mid,
  hrefOf: ({ mid }: Listed) => paths.branch(mid),
};

const New = () => (
  <Button component={Link} href="/new-branch" leftSection={<Plus size={16} />}>
    New branch
  </Button>
);
const Import = () => (
  <Button component={Link} href="/import" variant="default" leftSection={<Upload size={16} />}>
    Import
  </Button>
);

/** What is said in place of branches, and what to do. */
function Empty({
  search,
  isKept,
  isFiltered,
  onClear,
}: {
  search: string;
  isKept: boolean;
  isFiltered: boolean;
  onClear: () => void;
}) {
  const mayChange = useMay('change');
  if (isFiltered)
    return (
      <Nothing title="No branch matches" detail="Remove a filter, or shorten the text.">
        <Button variant="default" onClick={onClear}>
          Clear all filters
        </Button>
      </Nothing>
    );
  if (search)
    return (
      <Nothing
        title={`No branch matches “${search}”`}
        detail={
          isKept
            ? 'Each word must be a part of the branch’s name, area, city or business, of its MID or of its business ' +
              'ID. Case and accents do not matter.'
            : 'Each word must begin a word of the branch’s name, area, city or business, or begin its MID or business ' +
              'ID. A single letter or digit finds only words of one. Case and accents do not matter.'
        }
      />
    );
  return (
    <Nothing
      title="There are no branches yet"
      detail={
        mayChange
          ? 'Create the first one, or import a list of branches and terminals.'
          : 'An operator or admin can create or import them.'
      }
    >
      {mayChange && (
        <Group gap="sm">
          <New />
          <Import />
        </Group>
      )}
    </Nothing>
  );
}

/**
 * The branches of the acquirer: of the estate, filtered, counted and sorted at once. Until the browser has it, and where
 * it is larger than what a browser keeps, of the service, which searches and has them by age.
 */
export default function Branches() {
  const acting = useActing();
  const [values, change] = useAddress();
  const search = values.get('search') ?? '';
  const isNarrow = useIsNarrow();
  const { page, sort, onPage, onSort } = useListPage(ORDERS);
  const { state, isComplete, branches } = useEstateStatus();
  /** Whether the browser has the estate, or will have it. */
  const isKept = isComplete || state.kind === 'loading' || state.kind === 'walking';
  const { criteria, isFiltered, isNeeded, facets, clear } = useBranchCriteria(search);
  const from = (page - 1) * PER_PAGE;
  const { data } = useAnswer('branches', { criteria, from, to: from + PER_PAGE }, { isAsked: isComplete });
  const matching = isComplete ? data : undefined;
  const age = sort === 'asc' ? 'asc' : 'desc';
  const query = useBranches({ page, sort: age, search }, !isComplete && !(isKept && isNeeded));
  const columns = isKept ? WITH_ACTIVE : COLUMNS;
  const exporting = useExport('branches');
  const saving = useSaving('branches');
  const mayChange = useMay('change');
  const total = matching?.total ?? query.data?.meta.total;
  const ofEstate = matching && {
    data: matching.rows.map(({ branch, active }): Listed => ({ ...branch, active })),
    meta: { current_page: matching.from / PER_PAGE + 1, per_page: PER_PAGE, total: matching.total },
  };
  const list = ofEstate
    ? { data: ofEstate, error: null, failureReason: null, isFetching: false, refetch: query.refetch }
    : query;
  const isRefused = isProblem(list.error, 'invalid_query') && list.error.problem.detail.startsWith('search:');
  const isPart = search !== '' || isFiltered;
  const totalText = () => {
    if (total === undefined) return '\u00a0';
    if (isComplete && isPart) return `${formatNumber(total)} of ${branchesText(branches)}`;
    return `${branchesText(total)}${search && (total === 1 ? ' matches' : ' match')}`;
  };
  async function* tableOfEstate() {
    yield* inChunks(BRANCH_COLUMNS, await askEstate(acting, 'mids', criteria), async (mids) =>
      (await askEstate(acting, 'names', { mids })).branches.map(branchCells),
    );
  }
  const exportAs = (format: Format) => {
    const name = fileName(format, 'branches', acting.acquirer.name);
    if (isComplete) saving.start(tableOfEstate(), format, name);
    else exporting.start({ what: 'branches', format, search }, name);
  };
  const listed = ({ data, meta, warnings = [] }: Page) =>
    meta.total === 0 ? (
      <Empty search={search} isKept={isKept} isFiltered={isKept && isFiltered} onClear={clear} />
    ) : (
      <Paged meta={meta} isEmpty={data.length === 0} onPage={onPage}>
        {warnings.map(({ detail }) => (
          <Text key={detail} size="sm" c="dimmed" role="status">
            {detail}
          </Text>
        ))}
        <Rows {...LIST} columns={columns} rows={data} isOutdated={!matching && query.isPlaceholderData} />
      </Paged>
    );
  return (
    <>
      <PageTitle
        title="Branches"
        actions={
          <>
            <ExportButton isDisabled={!total || exporting.isRunning || saving.isRunning} onExport={exportAs} />
            {mayChange && (
              <>
                <Import />
                <New />
              </>
            )}
          </>
        }
      >
        {totalText()}
      </PageTitle>
      <Stack gap="md">
        {exporting.notice}
        {saving.notice}
        <Group justify="space-between" align="flex-start" gap="md">
          <SearchField
            search={search}
            error={isRefused ? UNSEARCHABLE : undefined}
            onSearch={(next) => change({ search: next, page: null }, { replace: search !== '' })}
          />
          <Group gap="sm" wrap="nowrap">
            {isKept && isNarrow && (
              <FacetSheet facets={facets} isDisabled={!isComplete} shown={branchesText(total ?? 0)} onClear={clear} />
            )}
            <SortSelect orders={isKept ? ORDERS : BY_AGE} sort={isKept ? sort : age} onSort={onSort} />
          </Group>
        </Group>
        {isKept && !isNarrow && <FacetBar facets={facets} isDisabled={!isComplete} />}
        {!isKept && isNeeded && (
          <Text c="dimmed" role="status">
            {state.kind === 'too_large'
              ? `The filters and the order of this address are for up to ${terminalsText(MOST.terminals)} in ${branchesText(MOST.branches)}`
              : 'The filters and the order of this address need all branches and terminals, which could not be read'}
            : all branches are listed.
          </Text>
        )}
        {!isRefused && (
          <Loaded<Page> query={list} outline={<Rows {...LIST} columns={columns} rows={undefined} />}>
            {listed}
          </Loaded>
        )}
      </Stack>
    </>
  );
}
