import { ActionIcon, Group, NumberInput, Text } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatNumber } from './format.ts';
import { texts } from './texts.ts';

interface Meta {
  current_page: number;
  per_page: number;
  total: number;
}

/** The pages of a list as the service pages it: how many there are, and a jump to any. */
export function Pager({
  meta: { current_page, per_page, total },
  onPage,
}: {
  meta: Meta;
  onPage: (page: number) => void;
}) {
  const last = Math.max(1, Math.ceil(total / per_page));
  const from = Math.min(total, (current_page - 1) * per_page + 1);
  const to = Math.min(total, current_page * per_page);
  if (total <= per_page && current_page === 1) return null;
  return (
    <Group justify="space-between" gap="md" component="nav" aria-label={texts.pages.page}>
      <Text size="sm" c="dimmed">
        {texts.of(`${formatNumber(from)}–${formatNumber(to)}`, formatNumber(total))}
      </Text>
      <Group gap="xs">
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={texts.pages.previous}
          disabled={current_page <= 1}
          onClick={() => onPage(Math.min(current_page - 1, last))}
        >
          <ChevronLeft size={16} />
        </ActionIcon>
        <NumberInput
          key={current_page}
          w={72}
          size="sm"
          hideControls
          aria-label={texts.pages.page}
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
          {texts.pages.of(formatNumber(last))}
        </Text>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={texts.pages.next}
          disabled={current_page >= last}
          onClick={() => onPage(current_page + 1)}
        >
          <ChevronRight size={16} />
        </ActionIcon>
      </Group>
    </Group>
  );
}
