import { Button, Group, Stack, Text } from '@mantine/core';
import { Plus, Upload } from 'lucide-react';
import { Link } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { branchesText, labelOf } from '../../fields/wording.ts';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { type ListedBranch, UNNAMED, useBranches } from '../../resources/data.ts';
import { BY_AGE, Nothing, Paged, SortSelect, useListPage } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { Id } from '../../shared/Copy.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { fileName } from '../../shared/save.ts';
import { UNSEARCHABLE } from '../../shared/searchedText.ts';
import { Day } from '../../shared/Time.tsx';
import { SearchField } from './SearchField.tsx';

const COLUMNS: Column<ListedBranch>[] = [
  {
    name: labelOf('merchant_name'),
    width: '30%',
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
  { name: labelOf('status'), width: '8rem', narrow: 'end', cell: ({ status }) => <StatusBadge status={status} /> },
];

const LIST = {
  label: 'Branches',
  columns: COLUMNS,
  keyOf: ({ mid }: ListedBranch) => mid,
  hrefOf: ({ mid }: ListedBranch) => paths.branch(mid),
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

export default function Branches() {
  const { acquirer } = useActing();
  const [values, change] = useAddress();
  const search = values.get('search') ?? '';
  const { page, sort, onPage, onSort } = useListPage(BY_AGE);
  const query = useBranches({ page, sort, search });
  const mayChange = useMay('change');
  const total = query.data?.meta.total;
  const exporting = useExport('branches');
  const isRefused = isProblem(query.error, 'invalid_query') && query.error.problem.detail.startsWith('search:');
  return (
    <>
      <PageTitle
        title="Branches"
        actions={
          <>
            <ExportButton
              isDisabled={!total || exporting.isRunning}
              onExport={(format) =>
                exporting.start({ what: 'branches', format, search }, fileName(format, 'branches', acquirer.name))
              }
            />
            {mayChange && (
              <>
                <Import />
                <New />
              </>
            )}
          </>
        }
      >
        {total === undefined ? '\u00a0' : `${branchesText(total)}${search && (total === 1 ? ' matches' : ' match')}`}
      </PageTitle>
      <Stack gap="md">
        {exporting.notice}
        <Group justify="space-between" align="flex-start" gap="md">
          <SearchField
            search={search}
            error={isRefused ? UNSEARCHABLE : undefined}
            onSearch={(next) => change({ search: next, page: null }, { replace: search !== '' })}
          />
          <SortSelect orders={BY_AGE} sort={sort} onSort={onSort} />
        </Group>
        {!isRefused && (
          <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
            {({ data, meta, warnings = [] }) => {
              if (meta.total === 0 && search)
                return (
                  <Nothing
                    title={`No branch matches “${search}”`}
                    detail={
                      'Each word must begin a word of the branch’s name, area, city or business, or ' +
                      'begin its MID or business ID. A single letter or digit finds only words of one. ' +
                      'Case and accents do not matter.'
                    }
                  />
                );
              if (meta.total === 0)
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
              return (
                <Paged meta={meta} isEmpty={data.length === 0} onPage={onPage}>
                  {warnings.map(({ detail }) => (
                    <Text key={detail} size="sm" c="dimmed" role="status">
                      {detail}
                    </Text>
                  ))}
                  <Rows {...LIST} rows={data} isOutdated={query.isPlaceholderData} />
                </Paged>
              );
            }}
          </Loaded>
        )}
      </Stack>
    </>
  );
}
