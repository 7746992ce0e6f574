import { Alert, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { bodyOf, resultOf } from '../../api/request.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import {
  areRowsValid,
  newRow,
  type TerminalRow,
  TerminalRows,
  terminalsOf,
  withSerials,
} from '../../changes/TerminalRows.tsx';
import { useChange } from '../../changes/useChange.ts';
import { type DialogProps, type Guard, useGuardedDialog, type Why } from '../../changes/useGuardedDialog.tsx';
import { type BranchField, EDITED_OF_BRANCH, MOST_PER_REQUEST, shownName } from '../../fields/fields.ts';
import { refusedFields, stillRefused, takenSerials } from '../../fields/refusals.ts';
import { typingOf, useFields } from '../../fields/useFields.ts';
import { type Branch, nameOf } from '../../resources/data.ts';
import { SerialHolders } from '../../resources/SerialHolders.tsx';
import { ScanButton } from '../../search/ScanButton.tsx';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';

type BranchDialog = DialogProps<Branch>;

function useRequests(mid: string) {
  const { api } = useActing();
  const path = { mid };
  return {
    update: (body: Partial<Record<BranchField, string | null>>, header: Guard, query: Why = {}) =>
      resultOf(api.PATCH('/ext/api/v1/merchants/{mid}', { params: { path, header, query }, body })),
    archive: (reason: string, header: Guard) =>
      resultOf(
        api.PATCH('/ext/api/v1/merchants/{mid}/archive', { params: { path, header, query: reason ? { reason } : {} } }),
      ),
    restore: (_: null, header: Guard, query: Why = {}) =>
      resultOf(api.PATCH('/ext/api/v1/merchants/{mid}/restore', { params: { path, header, query } })),
  };
}

/** The value that a branch has of a field, by the name that the field has in requests. */
const shownValue = (branch: Branch, name: BranchField) =>
  (branch as unknown as Record<string, string | null>)[shownName(name)];

export function EditDialog(props: BranchDialog) {
  const { current, onClose } = props;
  const { update } = useRequests(current.data.mid);
  // What the person began with, also when the branch has been read again.
  const [seen] = useState(current.data);
  const before = (name: BranchField): string => shownValue(seen, name) ?? '';
  const form = useFields<Record<string, string>>(
    'updateBranch',
    Object.fromEntries(EDITED_OF_BRANCH.map((name) => [name, before(name)])),
  );
  const newValue = (name: BranchField) => form.values[name]?.trim() || null;
  const changed = EDITED_OF_BRANCH.filter((name) => (newValue(name) ?? '') !== before(name));
  const { send, dialog } = useGuardedDialog(props, update, {
    mine: Object.fromEntries(changed.map((name) => [shownName(name), newValue(name)])),
    undo: (old, body) => ({
      text: `${nameOf(old)} was changed.`,
      send: (...how) =>
        update(
          Object.fromEntries(Object.keys(body).map((name) => [name, shownValue(old, name as BranchField)])),
          ...how,
        ),
    }),
  });
  const submit = () => {
    if (!form.check()) return;
    if (changed.length === 0) onClose();
    else send(Object.fromEntries(changed.map((name) => [name, newValue(name)])));
  };
  return (
    <ActionDialog {...dialog} title="Edit branch" submit="Save" onSubmit={submit}>
      {EDITED_OF_BRANCH.map((name, at) => (
        <TextInput key={name} {...form.field(name, dialog.error)} data-autofocus={at === 0 || undefined} />
      ))}
    </ActionDialog>
  );
}

function effectOf({ terminal_count: count }: Branch): string {
  if (count === 0) return 'It has no terminals. Nobody can add any until you restore it.';
  const terminals =
    count === 1
      ? 'Its terminal will be archived too, and is no longer active for processing.'
      : `${formatNumber(count)} terminals will be archived too, and are no longer active for processing.`;
  return `${terminals} Nobody can add terminals until you restore the branch.`;
}

export function ArchiveDialog(props: BranchDialog) {
  const branch = props.current.data;
  const { archive, restore } = useRequests(branch.mid);
  const [reason, setReason] = useState('');
  const { send, dialog } = useGuardedDialog(props, archive, {
    undo: () => ({ text: `${nameOf(branch)} was archived.`, send: (...how) => restore(null, ...how) }),
  });
  return (
    <ActionDialog {...dialog} title={`Archive ${nameOf(branch)}`} submit="Archive" onSubmit={() => send(reason.trim())}>
      <Text>{effectOf(branch)}</Text>
      <TextInput
        {...typingOf('reason')}
        label="Why? (optional)"
        placeholder="For example: Closed for good"
        maxLength={255}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
    </ActionDialog>
  );
}

export function RestoreDialog(props: BranchDialog) {
  const branch = props.current.data;
  const { restore } = useRequests(branch.mid);
  const { send, dialog } = useGuardedDialog(props, restore);
  return (
    <ActionDialog {...dialog} title={`Restore ${nameOf(branch)}`} submit="Restore" onSubmit={() => send(null)}>
      <Text>
        The terminals that were archived with the branch come back: they are active for processing again. Those that
        were archived by themselves stay archived.
      </Text>
    </ActionDialog>
  );
}

/** How many terminals can be added at once, in several requests. */
const MOST_ADDED_AT_ONCE = 5 * MOST_PER_REQUEST;

const addedText = (terminals: { terminal_id: string }[]): string =>
  terminals.length === 1
    ? `1 terminal was added: ${terminals[0]?.terminal_id}.`
    : `${formatNumber(terminals.length)} terminals were added: ${terminals[0]?.terminal_id} to ` +
      `${terminals.at(-1)?.terminal_id}.`;

/**
 * Adds terminals, one request after another. Those that are added leave the form, so that what is refused is first.
 * Needs no guard: terminals that others add do no harm, and a branch archived meanwhile refuses with `branch_archived`.
 */
export function AddDialog({ current, onClose }: BranchDialog) {
  const { mid } = current.data;
  const { api } = useActing();
  const [rows, setRows] = useState(() => [newRow()]);
  const [isTried, setIsTried] = useState(false);
  const change = useChange(
    (terminals: ReturnType<typeof terminalsOf>, key) =>
      bodyOf(
        api.POST('/ext/api/v1/terminals/{mid}', {
          params: { path: { mid }, header: { 'Idempotency-Key': key } },
          body: { terminals },
        }),
      ),
    { isIdempotent: true },
  );
  const [added, setAdded] = useState<string[]>([]);
  const terminals = terminalsOf(rows);
  // What is typed while a request is under way goes with the next one.
  const latest = useRef(rows);
  latest.current = rows;
  const add = async (all: TerminalRow[]): Promise<void> => {
    if (all.length === 0) return onClose();
    if (!areRowsValid(all)) return;
    const sent = all.slice(0, MOST_PER_REQUEST);
    try {
      await change.mutateAsync(terminalsOf(sent));
    } catch {
      // The dialog shows it.
      return;
    }
    setAdded((before) => [...before, addedText(sent)]);
    const left = latest.current.filter(({ id }) => !sent.some((row) => row.id === id));
    if (left.length > 0) setRows(left);
    return add(left);
  };
  return (
    <ActionDialog
      {...change}
      size={1040}
      title={`Add terminals to ${nameOf(current.data)}`}
      submit={rows.length === 1 ? 'Add 1 terminal' : `Add ${formatNumber(rows.length)} terminals`}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true);
        void add(rows);
      }}
    >
      {added.length > 0 && (
        <Alert color="gray" role="status" className="wraps">
          {added.map((text) => (
            <Text key={text}>{text}</Text>
          ))}
          <Text>Those below are not added yet.</Text>
        </Alert>
      )}
      <ScanButton isMany onScan={(codes) => setRows(withSerials(rows, codes).slice(0, MOST_ADDED_AT_ONCE))} />
      <TerminalRows
        rows={rows}
        onChange={setRows}
        refused={stillRefused(refusedFields(change.error), { terminals: change.variables }, { terminals })}
        isTried={isTried}
        least={1}
        most={MOST_ADDED_AT_ONCE}
      />
      <SerialHolders serials={takenSerials(change.error, { terminals: change.variables })} />
    </ActionDialog>
  );
}
