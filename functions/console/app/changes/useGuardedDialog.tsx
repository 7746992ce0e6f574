import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '../api/request.ts';
import { UNDO_REASON } from '../fields/wording.ts';
import type { Tagged } from '../resources/data.ts';
import { ConflictNotice } from './ConflictNotice.tsx';
import { offerUndo } from './Undo.tsx';
import { useChange } from './useChange.ts';

/** What a dialog gets that changes a resource: the resource as it was last read. */
export interface DialogProps<Data> {
  current: Tagged<Data>;
  /** Reads the state of now, or rejects. */
  refresh: () => Promise<Tagged<Data>>;
  onClose: () => void;
}

export type Guard = { 'If-Match': string; 'Idempotency-Key': string };
/** The parameters with which a history says why something was changed. */
export type Why = { reason?: string };

/** A change in words, and the request that undoes it. */
interface Reverse {
  text: string;
  send: (header: Guard, query: Why) => Promise<unknown>;
}

/** Reads what a view shows again, and rejects if that fails. */
export const refreshed = async <Data,>({ refetch }: UseQueryResult<Data, Error>): Promise<Data> =>
  (await refetch({ throwOnError: true })).data as Data;

/**
 * A change of the state that a person saw (`If-Match`), and what its ActionDialog shows of it. If somebody else has
 * changed it meanwhile, nothing is changed, and the dialog shows both states: the person decides whether the change is
 * made of the state of now.
 */
export function useGuardedDialog<Input, Data extends object>(
  { current, refresh, onClose }: DialogProps<Data>,
  change: (input: Input, header: Guard) => Promise<{ response: Response }>,
  {
    mine = {},
    isIdempotent = false,
    undo,
  }: {
    mine?: Record<string, unknown> | undefined;
    isIdempotent?: boolean;
    undo?: (before: Data, input: Input) => Reverse | undefined;
  } = {},
) {
  // What the person saw when they opened the dialog; after a conflict, what they chose to overrule.
  const [base, setBase] = useState(current);
  const [conflict, setConflict] = useState<{ input: Input; now: Tagged<Data> }>();
  const mutation = useChange(
    async ({ input, etag }: { input: Input; etag: string }, key) => {
      try {
        return await change(input, { 'If-Match': etag, 'Idempotency-Key': key });
      } catch (error) {
        if (isProblem(error, 'precondition_failed')) setConflict({ input, now: await refresh() });
        throw error;
      }
    },
    { isIdempotent },
  );
  const send = (input: Input, { etag, data }: Tagged<Data>) =>
    mutation.mutate(
      { input, etag },
      {
        onSuccess({ response }) {
          onClose();
          const reverse = undo?.(data, input);
          const changed = response.headers.get('etag') ?? '';
          if (reverse)
            offerUndo({
              text: reverse.text,
              undo: (key) => reverse.send({ 'If-Match': changed, 'Idempotency-Key': key }, { reason: UNDO_REASON }),
            });
        },
      },
    );
  const overrule = ({ input, now }: NonNullable<typeof conflict>) => {
    setBase(now);
    setConflict(undefined);
    send(input, now);
  };
  return {
    send: (input: Input) => send(input, base),
    dialog: {
      ...mutation,
      onClose,
      conflict: conflict && (
        <ConflictNotice
          before={base.data}
          now={conflict.now.data}
          mine={mine}
          onApply={() => overrule(conflict)}
          onDrop={onClose}
        />
      ),
    },
  };
}
