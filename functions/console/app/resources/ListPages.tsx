import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Text, Title } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAddress } from '../shared/address.ts';
import { formatNumber } from '../shared/format.ts';
import { PER_PAGE } from './data.ts';

/** The last page that the service accepts. */
const LAST_PAGE = 1e9;

/** The orders of a list of the service, as the address has them. The first one of a list needs no mention there. */
export const BY_AGE = { desc: 'Newest first', asc: 'Oldest first' };

/** The page and order of a list in the address. Another order begins at the first page. */
export function useListPage<Sort extends string>(orders: Record<Sort, string>) {
  const [values, change] = useAddress();
  const sorts = Object.keys(orders) as [Sort, ...Sort[]];
  return {
    page: Math.min(LAST_PAGE, Math.max(1, Math.trunc(Number(values.get('page'))) || 1)),
    sort: sorts.find((sort) => sort === values.get('sort')) ?? sorts[0],
    onPage: (page: number) => change({ page: page === 1 ? null : String(page) }),
    onSort: (sort: string) => change({ sort: sort === sorts[0] ? null : sort, page: null }),
  };
}

export const SortSelect = ({
  orders,
  sort,
  onSort,
}: {
  orders: Record<string, string>;
  sort: string;
  onSort: (sort: string) => void;
}) => (
  <NativeSelect
    aria-label="Order"
    value={sort}
    data={Object.entries(orders).map(([value, label]) => ({ value, label }))}
    onChange={(event) => onSort(event.currentTarget.value)}
  />
);

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

interface Pages {
  meta: { current_page: number; per_page: number; total: number };
  onPage: (page: number) => void;
}

/** A page of a list that is here as a whole, as the service would page it. */
export const pageOf = <Item,>(items: readonly Item[], page: number) => ({
  data: items.slice((page - 1) * PER_PAGE, page * PER_PAGE),
  meta: { current_page: page, per_page: PER_PAGE, total: items.length },
});

/** The pages of a list as the service pages it: how many there are, and a jump to any. */
export function Pager({ meta: { current_page, per_page, total }, onPage }: Pages) {
  const last = Math.max(1, Math.ceil(total / per_page));
  const from = Math.min(total, (current_page - 1) * per_page + 1);
  const to = Math.min(total, current_page * per_page);
  if (total <= per_page && current_page === 1) return null;
  const step = (page: number, label: string, icon: ReactNode) => (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      disabled={page < 1 || page === current_page}
      onClick={() => onPage(page)}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <Group justify="space-between" gap="md" component="nav" aria-label="Page">
      <Text size="sm" c="dimmed">
        {formatNumber(from)}–{formatNumber(to)} of {formatNumber(total)}
      </Text>
      <Group gap="xs">
        {step(Math.min(current_page - 1, last), 'Previous page', <ChevronLeft size={16} />)}
        <NumberInput
          key={current_page}
          w={72}
          size="sm"
          hideControls
          aria-label="Page"
          min={1}
          max={last}
          allowDecimal={false}
          allowNegative={false}
          defaultValue={current_page}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur();
          }}
          onBlur={(event) => {
            const page = Math.min(last, Math.max(1, Math.trunc(Number(event.currentTarget.value)) || current_page));
            if (page !== current_page) onPage(page);
            else event.currentTarget.value = String(current_page);
          }}
        />
        <Text size="sm" c="dimmed">
          of {formatNumber(last)}
        </Text>
        {step(Math.min(current_page + 1, last), 'Next page', <ChevronRight size={16} />)}
      </Group>
    </Group>
  );
}

/** The items of a page, with the other pages. A page past the end leads back to the last one. */
export function Paged({ meta, isEmpty, onPage, children }: Pages & { isEmpty: boolean; children: ReactNode }) {
  const last = Math.max(1, Math.ceil(meta.total / meta.per_page));
  if (isEmpty)
    return (
      <Nothing
        title={`There is no page ${formatNumber(meta.current_page)}`}
        detail={`The last one is page ${formatNumber(last)}.`}
      >
        <Button variant="default" onClick={() => onPage(last)}>
          Go to the last page
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
