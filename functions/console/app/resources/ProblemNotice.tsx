import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { NoResponse, ProblemError } from '../api/request.ts';
import { NotKept } from '../kept/database.ts';
import { NotOpened } from '../kept/seal.ts';
import { NotSignedIn } from '../session/renewal.ts';
import { CopyText } from '../shared/Copy.tsx';
import { Verbatim } from '../shared/Verbatim.tsx';

const NO_RESPONSE = { title: 'No connection', detail: 'The service did not respond. Check your connection.' };
const LOST = {
  title: 'The connection was lost',
  detail: 'The change may have been made. Look at what is shown now before you try again.',
};
const NOT_SIGNED_IN = { title: 'You are not signed in', detail: 'Nothing was sent. Try again to sign in.' };
const NOT_KEPT = {
  title: 'This browser does not store how far this is',
  detail: 'Free some space, or leave private browsing. Then try again: nothing is done twice.',
};
const NOT_OPENED = {
  title: 'What this browser stored cannot be opened',
  detail:
    'It is from before you last joined this acquirer, or it is damaged. What it did stays. To go on, discard it and ' +
    'begin again: nothing is created twice.',
};
export const UNEXPECTED = {
  title: 'This view has failed',
  detail: 'Reload it. If that does not help, tell support what you did.',
};

/** What people read for a problem of the service, by code. Its own detail says best what to do, where there is one. */
const PROBLEMS: Record<string, { title: string; detail?: string }> = {
  server_error: {
    title: 'Something went wrong on our side',
    detail: 'Nothing you typed is lost. Try again; if it keeps failing, give support the request ID.',
  },
  rate_limited: { title: 'Too many requests' },
  insufficient_permission: { title: 'Your role does not allow this' },
  not_found: { title: 'Not found' },
  precondition_failed: { title: 'Somebody changed this meanwhile' },
  validation_failed: { title: 'Some fields need a correction' },
};

function wordsOf(error: Error, isChange: boolean): { title: string; detail: string } {
  if (error instanceof NoResponse) return isChange ? LOST : NO_RESPONSE;
  if (error instanceof NotSignedIn) return NOT_SIGNED_IN;
  if (error instanceof NotKept) return NOT_KEPT;
  if (error instanceof NotOpened) return NOT_OPENED;
  if (!(error instanceof ProblemError)) return UNEXPECTED;
  const { code, title, detail } = error.problem;
  return { title, detail, ...PROBLEMS[code] };
}

/** Says what went wrong and what to do. `isChange`: the request may have changed something. */
export function ProblemNotice({
  error,
  onRetry,
  isChange = false,
  children,
}: {
  error: Error;
  onRetry?: (() => void) | undefined;
  isChange?: boolean;
  /** What else can be done. */
  children?: ReactNode;
}) {
  const { title, detail } = wordsOf(error, isChange);
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return (
    <Alert color="red" variant="light" role="alert" title={title} icon={<TriangleAlert size={18} />}>
      <Text size="md" className="wraps">
        {detail}
      </Text>
      <Group mt="sm" gap="md">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {children}
        {problem && (
          <>
            <Anchor size="sm" href={new URL(problem.type).pathname} target="_blank">
              What this means
            </Anchor>
            <Group gap="xs" wrap="nowrap">
              <Text size="sm" c="dimmed" className="wraps">
                Request ID <Verbatim>{problem.request_id}</Verbatim>
              </Text>
              <CopyText text={problem.request_id} />
            </Group>
          </>
        )}
      </Group>
    </Alert>
  );
}
