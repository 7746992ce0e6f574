import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { useNetwork, useTimeout } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isProblem } from '../api/request.ts';
import { ProblemNotice } from './ProblemNotice.tsx';

const SLOW_MS = 3_000;

export const OFFLINE = 'You are offline. What is shown may be outdated. It continues once you are connected.';

/** Says why something is still waited for, once that takes long. */
export function Waiting({ reason }: { reason: Error | null }) {
  const [isSlow, setIsSlow] = useState(false);
  useTimeout(() => setIsSlow(true), SLOW_MS, { autoInvoke: true });
  const { online } = useNetwork();
  const cause = isProblem(reason, 'rate_limited') ? 'Too many requests at once.' : 'The service did not respond.';
  const text = !online
    ? OFFLINE
    : reason
      ? `${cause} Retrying automatically.`
      : isSlow && 'This takes longer than usual. Still waiting.';
  return (
    <Text size="sm" c="dimmed" role="status">
      {text}
    </Text>
  );
}

/** What was read, or its outline while it is read, or why it could not be. `heading` is there until its own is. */
export function Loaded<Data>({
  query,
  outline,
  heading,
  children,
}: {
  query: Pick<UseQueryResult<Data, Error>, 'data' | 'error' | 'failureReason' | 'isFetching'> & {
    refetch: () => Promise<unknown>;
  };
  outline: ReactNode;
  heading?: string;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, failureReason, isFetching, refetch } = query;
  const title = heading !== undefined && <VisuallyHidden component="h1">{heading}</VisuallyHidden>;
  if (data === undefined && error === null)
    return (
      <Stack gap="md" aria-busy>
        {title}
        {outline}
        <Waiting reason={failureReason} />
      </Stack>
    );
  return (
    <>
      {data === undefined && title}
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!error && isFetching && failureReason && <Waiting reason={failureReason} />}
      {data !== undefined && children(data)}
    </>
  );
}
