import { Button, Group, Stack, Text } from '@mantine/core';
import { Download, Plus, Upload } from 'lucide-react';
import { Link } from 'wouter';
import { ProblemError } from '../../request.ts';
import { useMay } from '../../session/session.ts';
import { paths, useAddress } from '../../shared/address.ts';
import { type ListedBranch, useBranches } from '../../shared/data.ts';
import { formatDay, formatNumber } from '../../shared/format.ts';
import { Nothing, Paged, SortSelect, useListPage } from '../../shared/ListPages.tsx';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { SearchField } from './SearchField.tsx';
import { texts } from './texts.ts';

const { fields } = shared;

const COLUMNS: Column<ListedBranch>[] = [
  {
    name: fields['merchant_name'] ?? '',
    width: '30%',
    narrow: 'first',
    cell: ({ merchant_name }) => merchant_name ?? shared.unnamed,
  },
  {
    name: fields['mid'] ?? '',
    narrow: 'second',
    cell: ({ mid }) => <span className="identifier">{mid}</span>,
  },
  {
    name: texts.place,
    narrow: 'second',
    cell: ({ area, city }) => [area, city].filter(Boolean).join(', ') || null,
  },
  {
    name: texts.business,
    narrow: 'hidden',
    cell: ({ master_merchant_name, master_merchant_id }) => master_merchant_name ?? master_merchant_id,
  },
  {
    name: fields['created_at'] ?? '',
    width: '8rem',
    narrow: 'spare',
    cell: ({ created_at }) => <time dateTime={created_at}>{formatDay(created_at)}</time>,
  },
  { name: fields['status'] ?? '', width: '8rem', narrow: 'end', cell: ({ status }) => <StatusBadge status={status} /> },
];

const LIST = {
  label: texts.title,
  columns: COLUMNS,
  keyOf: ({ mid }: ListedBranch) => mid,
  hrefOf: ({ mid }: ListedBranch) => paths.branch(mid),
};

const New = () => (
  <Button component={Link} href="/new-branch" leftSection={<Plus size={16} aria-hidden />}>
    {texts.new}
  </Button>
);
const Import = () => (
  <Button component={Link} href="/import" variant="default" leftSection={<Upload size={16} aria-hidden />}>
    {texts.import}
  </Button>
);

/** The view of all branches. */
export default function Branches() {
  const [values, change] = useAddress();
  const search = values.get('search') ?? '';
  const { page, sort, onPage, onSort } = useListPage();
  const query = useBranches({ page, sort, search });
  const mayChange = useMay('change');
  const total = query.data?.meta.total;
  const isRefused =
    query.error instanceof ProblemError &&
    query.error.problem.code === 'invalid_query' &&
    query.error.problem.detail.startsWith('search:');
  return (
    <>
      <PageTitle
        title={texts.title}
        actions={
          <>
            <Button
              component={Link}
              href="/import?do=export"
              variant="default"
              leftSection={<Download size={16} aria-hidden />}
            >
              {texts.export}
            </Button>
            {mayChange && (
              <>
                <Import />
                <New />
              </>
            )}
          </>
        }
      >
        {total === undefined ? '\u00a0' : (search ? texts.matches : texts.count)(formatNumber(total), total === 1)}
      </PageTitle>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="md">
          <SearchField
            search={search}
            error={isRefused ? texts.unsearchable : undefined}
            onSearch={(next) => change({ search: next, page: null }, { replace: search !== '' })}
          />
          <SortSelect sort={sort} onSort={onSort} />
        </Group>
        {!isRefused && (
          <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
            {({ data, meta, warnings = [] }) => {
              if (meta.total === 0 && search)
                return <Nothing title={texts.nothing.title(search)} detail={texts.nothing.detail} />;
              if (meta.total === 0)
                return (
                  <Nothing {...texts.empty} {...(!mayChange && { detail: texts.empty.forViewers })}>
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
