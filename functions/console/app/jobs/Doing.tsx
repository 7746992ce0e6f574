import { Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { Waiting } from '../api/patience.ts';
import { formatNumber } from '../shared/format.ts';
import type { Job } from './job.ts';

const REASONS: Record<Waiting['reason'], string> = {
  rate_limit: 'Too many requests: continues in',
  service: 'The service is not available: tries again in',
  connection: 'No connection: tries again in',
};

/** Counts down until something goes on. Screen readers say it once. */
function Countdown({ until, reason }: Waiting) {
  const [now, setNow] = useState(Date.now);
  const [first] = useState(now);
  useInterval(() => setNow(Date.now()), 500, { autoInvoke: true });
  const textAt = (time: number) =>
    `${REASONS[reason]} ${formatNumber(Math.max(1, Math.ceil((until - time) / 1000)))} s.`;
  return (
    <>
      <span aria-hidden>{textAt(now)}</span>
      <VisuallyHidden role="status">{textAt(first)}</VisuallyHidden>
    </>
  );
}

export const Doing = ({
  label,
  done,
  total,
  children,
  job: { waiting, stop, isStopping },
  stopLabel,
  stoppingText,
}: {
  label: string;
  done: number;
  /** How much there is to do; `undefined` if that is not known. */
  total: number | undefined;
  children: ReactNode;
  job: Pick<Job<unknown>, 'waiting' | 'stop' | 'isStopping'>;
  stopLabel?: string;
  stoppingText?: string;
}) => (
  <Stack gap="sm" maw={640}>
    {total !== undefined && (
      <Progress.Root size="lg">
        <Progress.Section value={total === 0 ? 0 : (100 * done) / total} aria-label={label} />
      </Progress.Root>
    )}
    <Group justify="space-between" align="flex-start" gap="md" mih={56} wrap="nowrap">
      <Stack gap="xs">
        <Text>{children}</Text>
        <Text size="sm" c="dimmed">
          {isStopping ? stoppingText : waiting && <Countdown key={waiting.until} {...waiting} />}
        </Text>
      </Stack>
      {stopLabel && (
        <Button variant="default" onClick={stop} disabled={isStopping}>
          {stopLabel}
        </Button>
      )}
    </Group>
  </Stack>
);
