import { Button, NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from './address.ts';
import { type ListPage, listPageOf } from './data.ts';
import { formatNumber } from './format.ts';
import { texts } from './listTexts.ts';
import { Pager } from './Pager.tsx';

/** The page and order of a list in the address. Another order begins at the first page. */
export function useListPage(): ListPage & { onPage: (page: number) => void; onSort: (sort: string) => void } {
  const [values, change] = useAddress();
  return {
    ...listPageOf(values),
    onPage: (page) => change({ page: page === 1 ? null : String(page) }),
    onSort: (sort) => change({ sort: sort === 'asc' ? sort : null, page: null }),
  };
}

/** Chooses the order of a list. */
export const SortSelect = ({ sort, onSort }: Pick<ReturnType<typeof useListPage>, 'sort' | 'onSort'>) => (
  <NativeSelect
    aria-label={texts.sort}
    value={sort}
    data={[
      { value: 'desc', label: texts.desc },
      { value: 'asc', label: texts.asc },
    ]}
    onChange={(event) => onSort(event.currentTarget.value)}
  />
);

/** Says why a list has nothing, and what to do. */
export const Nothing = ({ title, detail, children }: { title: string; detail: string; children?: ReactNode }) => (
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

/** The items of a page, with the other pages. A page past the end leads back to the last one. */
export function Paged({
  meta,
  isEmpty,
  onPage,
  children,
}: {
  meta: Parameters<typeof Pager>[0]['meta'];
  isEmpty: boolean;
  onPage: (page: number) => void;
  children: ReactNode;
}) {
  const last = Math.max(1, Math.ceil(meta.total / meta.per_page));
  if (isEmpty)
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
    <Stack gap="md">
      {children}
      <Pager meta={meta} onPage={onPage} />
    </Stack>
  );
}
