import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { NoResponse, ProblemError } from '../request.ts';
import { askAgain, NotSignedIn } from '../session/renewal.ts';
import { CopyText } from './Copy.tsx';
import { texts } from './texts.ts';

/** What an error is called, and what to do. The service's own detail says it best where there is one. */
function wordsOf(error: Error, isChange: boolean): { title: string; detail: string } {
  const words = (code: string) => ({ title: '', detail: '', ...texts.problems[code] });
  if (error instanceof NoResponse) return words(isChange ? 'lost' : 'no_response');
  if (error instanceof NotSignedIn) return words('not_signed_in');
  if (!(error instanceof ProblemError)) return words('unexpected');
  const { code, title, detail } = error.problem;
  return { title, detail, ...texts.problems[code] };
}

/**
 * Says what went wrong and what to do, with the id of the request.
 *
 * @param isChange Whether the request may have changed something.
 */
export function ProblemNotice({
  error,
  onRetry,
  isChange = false,
}: {
  error: Error;
  onRetry?: (() => void) | undefined;
  isChange?: boolean;
}) {
  const { title, detail } = wordsOf(error, isChange);
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return (
    <Alert color="red" variant="light" role="alert" title={title} icon={<TriangleAlert size={18} aria-hidden />}>
      <Text size="md" className="wraps">
        {detail}
      </Text>
      <Group mt="sm" gap="md">
        {onRetry && (
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              askAgain();
              onRetry();
            }}
          >
            {texts.retry}
          </Button>
        )}
        {problem && (
          <>
            <Anchor size="sm" href={new URL(problem.type).pathname} target="_blank">
              {texts.helpWith}
            </Anchor>
            <Group gap="xs" wrap="nowrap">
              <Text size="sm" c="dimmed" className="wraps">
                {texts.requestId(problem.request_id)}
              </Text>
              <CopyText text={problem.request_id} />
            </Group>
          </>
        )}
      </Group>
    </Alert>
  );
}
