import { ConflictNotice } from './ConflictNotice.tsx';
import type { Tagged } from './data.ts';
import { useGuardedChange } from './guarded.ts';

/** What a dialog gets that changes a resource: the resource as the person sees it. */
export interface DialogProps<Data> {
  current: Tagged<Data>;
  refresh: () => Promise<Tagged<Data>>;
  onClose: () => void;
}

/**
 * A change of a resource that sends `If-Match`, and what its ActionDialog shows of it.
 *
 * @param options.mine The values that the person wants, by field: shown beside those of somebody else.
 */
export function useGuardedDialog<Input, Data extends object>(
  { current, refresh, onClose }: DialogProps<Data>,
  change: (input: Input, headers: { 'If-Match': string; 'Idempotency-Key': string }) => Promise<unknown>,
  { mine = {}, isIdempotent = false }: { mine?: Record<string, unknown> | undefined; isIdempotent?: boolean } = {},
) {
  const { submit, conflict, overrule, ...state } = useGuardedChange<Input, Data>({
    current,
    refresh,
    isIdempotent,
    change: (input, etag, key) => change(input, { 'If-Match': etag, 'Idempotency-Key': key }),
    onDone: onClose,
  });
  return {
    send: submit,
    dialog: {
      ...state,
      onClose,
      conflict: conflict && <ConflictNotice conflict={conflict} mine={mine} onApply={overrule} onDrop={onClose} />,
    },
  };
}
