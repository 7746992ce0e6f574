import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemError } from '../request.ts';
import type { Tagged } from './data.ts';
import { useChange } from './useChange.ts';

/** What somebody else changed while a person was about to change it. */
export interface Conflict<Data> {
  before: Data;
  now: Data;
}

interface Guarded<Input, Data> {
  /** The state that the person sees when they begin. */
  current: Tagged<Data>;
  /** Reads the state of now, or rejects. */
  refresh: () => Promise<Tagged<Data>>;
  change: (input: Input, etag: string, idempotencyKey: string) => Promise<unknown>;
  onDone: () => void;
  isIdempotent?: boolean;
}

/**
 * A change of the state that a person saw (`If-Match`). If somebody else has changed it meanwhile, nothing is changed, and
 * `conflict` has both states: the person decides, and `overrule` makes the change of the state of now.
 */
export function useGuardedChange<Input, Data>({
  current,
  refresh,
  change,
  onDone,
  isIdempotent = false,
}: Guarded<Input, Data>) {
  const [base, setBase] = useState(current);
  const [conflict, setConflict] = useState<{ input: Input; now: Tagged<Data> }>();
  /** The state of now is being read, or could not be. */
  const [reading, setReading] = useState<'under way' | Error>();
  const mutation = useChange(({ input, etag }: { input: Input; etag: string }, key) => change(input, etag, key), {
    isIdempotent,
  });
  const send = (input: Input, { etag }: Tagged<Data>) => {
    setReading(undefined);
    mutation.mutate(
      { input, etag },
      {
        onSuccess: onDone,
        onError: async (error) => {
          if (!(error instanceof ProblemError) || error.problem.code !== 'precondition_failed') return;
          setReading('under way');
          try {
            setConflict({ input, now: await refresh() });
            setReading(undefined);
          } catch (failure) {
            setReading(failure as Error);
          }
        },
      },
    );
  };
  return {
    submit: (input: Input) => send(input, base),
    conflict: conflict && { before: base.data, now: conflict.now.data },
    overrule() {
      if (!conflict) return;
      setBase(conflict.now);
      setConflict(undefined);
      send(conflict.input, conflict.now);
    },
    isPending: mutation.isPending || reading === 'under way',
    failureReason: mutation.failureReason,
    error: reading instanceof Error ? reading : mutation.error,
  };
}

/** Reads what a view shows again, and rejects if that fails. */
export const refreshed = async <Data>({ refetch }: UseQueryResult<Data, Error>): Promise<Data> =>
  (await refetch({ throwOnError: true })).data as Data;
