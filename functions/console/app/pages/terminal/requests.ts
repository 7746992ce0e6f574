import { resultOf } from '../../api/request.ts';
import type { DialogProps, Guard, Why } from '../../changes/useGuardedDialog.tsx';
import type { TerminalField } from '../../fields/fields.ts';
import type { Branch, Terminal } from '../../resources/data.ts';
import { useActing } from '../../session/session.ts';

export interface TerminalDialog extends DialogProps<Terminal> {
  branch: Branch | undefined;
}

interface Update {
  body: Partial<Record<Exclude<TerminalField, 'terminal_id'>, string | null>>;
  reason?: string;
}

/** The changes of a terminal. */
export function useRequests(tid: string) {
  const { api } = useActing();
  const path = { tid };
  return {
    move: (mid: string, header: Guard, query: Why = {}) =>
      resultOf(api.POST('/ext/api/v1/terminals/{tid}/reassign', { params: { path, header, query }, body: { mid } })),
    archive: (reason: string, header: Guard, query: Why = {}) =>
      resultOf(api.PATCH('/ext/api/v1/terminals/{tid}/archive', { params: { path, header, query }, body: { reason } })),
    restore: (_: null, header: Guard, query: Why = {}) =>
      resultOf(api.PATCH('/ext/api/v1/terminals/{tid}/restore', { params: { path, header, query } })),
    update: ({ body, reason }: Update, header: Guard, query: Why = reason ? { reason } : {}) =>
      resultOf(api.PATCH('/ext/api/v1/terminals/{tid}', { params: { path, header, query }, body })),
  };
}
