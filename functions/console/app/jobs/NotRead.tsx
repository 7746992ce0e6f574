import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { NotOpened } from '../kept/seal.ts';
import { storageOf } from '../kept/sealedStorage.ts';
import { ProblemNotice } from '../resources/ProblemNotice.tsx';
import { useActing } from '../session/session.ts';

/** Says why the stored job cannot be read. What cannot be opened can only be discarded. */
export function NotRead({ error, kind }: { error: Error; kind: 'import' | 'change' }) {
  const acting = useActing();
  const discard = useMutation({ mutationFn: async () => storageOf(acting, kind).clear(), networkMode: 'always' });
  return (
    <ProblemNotice error={discard.error ?? error}>
      {error instanceof NotOpened && (
        <Button size="xs" variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
          Discard it
        </Button>
      )}
    </ProblemNotice>
  );
}
