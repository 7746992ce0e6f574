import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { Download, Plus, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProblemError } from '../../request.ts';
import { useMay } from '../../session/session.ts';
import { paths, useAddress } from '../../shared/address.ts';
import { type ListedBranch, listPageOf, useBranches } from '../../shared/data.ts';
import { formatDay, formatNumber } from '../../shared/format.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { Pager } from '../../shared/Pager.tsx';
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

/** Says why there is nothing, and what to do. */
const Nothing = ({ title, detail, children }: { title: string; detail: string; children?: ReactNode }) => (
  <Stack gap="md" align="flex-start" py="xl">
    <Title order={2} className="wraps">
      {title}
    </Title>
    <Text c="dimmed" maw={560}>
      {detail}
    </Text>
    {children}
  </Stack>
);

const New = () => (
  <Button component={Link} href="/branches/new" leftSection={<Plus size={16} aria-hidden />}>
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
  const { page, sort } = listPageOf(values);
  const query = useBranches({ page, sort, search });
  const mayChange = useMay('change');
  const total = query.data?.meta.total;
  const isRefused =
    search !== '' && query.error instanceof ProblemError && query.error.problem.code === 'invalid_query';
  const onPage = (next: number) => {
    change({ page: next === 1 ? null : String(next) });
    scrollTo({ top: 0 });
  };
  return (
    <>
      <PageTitle
        title={texts.title}
        actions={
          mayChange && (
            <>
              <Button
                component={Link}
                href="/import?do=export"
                variant="default"
                leftSection={<Download size={16} aria-hidden />}
              >
                {texts.export}
              </Button>
              <Import />
              <New />
            </>
          )
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
          <NativeSelect
            aria-label={texts.sort}
            value={sort}
            data={[
              { value: 'desc', label: texts.desc },
              { value: 'asc', label: texts.asc },
            ]}
            onChange={(event) => change({ sort: event.currentTarget.value === 'asc' ? 'asc' : null, page: null })}
          />
        </Group>
        {!isRefused && (
          <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
            {({ data, meta, warnings = [] }) => {
              const last = Math.max(1, Math.ceil(meta.total / meta.per_page));
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
              if (data.length === 0)
                return (
                  <Nothing
                    title={texts.pastEnd.title(formatNumber(meta.current_page))}
                    detail={texts.pastEnd.detail(formatNumber(last))}
                  >
                    <Button variant="default" onClick={() => onPage(last)}>
                      {texts.pastEnd.back}
                    </Button>
                  </Nothing>
                );
              return (
                <>
                  {warnings.map(({ detail }) => (
                    <Text key={detail} size="sm" c="dimmed" role="status">
                      {detail}
                    </Text>
                  ))}
                  <Rows {...LIST} rows={data} isOutdated={query.isPlaceholderData} />
                  <Pager meta={meta} onPage={onPage} />
                </>
              );
            }}
          </Loaded>
        )}
      </Stack>
    </>
  );
}
