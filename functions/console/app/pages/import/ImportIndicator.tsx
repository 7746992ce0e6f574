import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check, Pause } from 'lucide-react';
import { useJob } from '../../jobs/job.ts';
import { useActing } from '../../session/session.ts';
import { formatShare } from '../../shared/format.ts';
import { doneOf, importJobKey, importQuery, type Progress } from './progress.ts';

/** How far the import is, which goes on while a person looks elsewhere. */
export function ImportIndicator() {
  const acting = useActing();
  const { data: found } = useQuery(importQuery(acting));
  const job = useJob<Progress>(importJobKey(acting.acquirer.id));
  if (!found) return null;
  const { done, total } = doneOf(job?.progress?.counts ?? found.ledger.counts);
  if (done === total) return <Check size={14} role="img" aria-label="Done" />;
  if (!job?.stop && !found.isRunning) return <Pause size={14} role="img" aria-label="Paused" />;
  return (
    <Text span size="xs">
      {formatShare(done / total)}
    </Text>
  );
}
