import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { isProblem } from '../request.ts';
import { useRenewal } from '../session/renewal.ts';
import { refusedFields } from './fieldErrors.ts';
import { Waiting } from './Loaded.tsx';
import { ProblemNotice } from './ProblemNotice.tsx';
import { useChange } from './useChange.ts';

/** Gives the focus back to where it was or, if that is gone, to the view; unless another dialog has it meanwhile. */
export function useReturnedFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // After the dialog is gone.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
        (isThere ? before : document.getElementById('content'))?.focus();
      });
    };
  }, []);
}

/** A dialog that asks for what a change needs, and sends it. What was typed stays until the change is made. */
export function ActionDialog({
  title,
  submit,
  onSubmit,
  onClose,
  isPending,
  failureReason = null,
  error,
  conflict,
  isDangerous = false,
  isDisabled = false,
  size = 'lg',
  children,
}: {
  title: string;
  submit: string;
  onSubmit: () => void;
  onClose: () => void;
  isPending: boolean;
  failureReason?: Error | null;
  error: Error | null;
  /** Shown in place of the error and the button: see ConflictNotice. */
  conflict?: ReactNode;
  isDangerous?: boolean;
  isDisabled?: boolean;
  size?: 'lg' | number;
  children: ReactNode;
}) {
  // Field errors are at their fields, and `conflict` shows what somebody else has changed.
  const isElsewhere = isProblem(error, 'validation_failed') || isProblem(error, 'precondition_failed');
  // What is wrong with no field, such as too many of something.
  const refusal = refusedFields(error)[''];
  // What is under way cannot be taken back. While it waits to be sent again, it can.
  const isUnderWay = isPending && failureReason === null;
  // Above it, the sign-in has the keys.
  const isBehind = useRenewal() !== undefined;
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={() => isUnderWay || onClose()}
      closeOnClickOutside={false}
      closeOnEscape={!isBehind}
      title={title}
      size={size}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending && !isDisabled && !conflict) onSubmit();
        }}
      >
        <Stack gap="lg">
          {/* What is sent anyway is what is shown as one's own. */}
          <fieldset className="plain" disabled={Boolean(conflict)}>
            <Stack gap="lg">{children}</Stack>
          </fieldset>
          {conflict}
          {!conflict && error && !isPending && !isElsewhere && <ProblemNotice error={error} isChange />}
          {refusal && !isPending && (
            <Alert color="red" role="alert" className="wraps">
              {refusal}
            </Alert>
          )}
          {isPending && <Waiting reason={failureReason} />}
          {!conflict && (
            <Group justify="flex-end" gap="sm" className="dialog-end">
              <Button variant="default" disabled={isUnderWay} onClick={onClose}>
                Cancel
              </Button>
              <Button
                type="submit"
                data-autofocus
                loading={isPending}
                disabled={isDisabled}
                {...(isDangerous && { color: 'red.9' })}
              >
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  );
}

/** A dialog of a change that needs only the person's consent, and cannot be undone. */
export function ConfirmDialog({
  send,
  onClose,
  ...dialog
}: {
  title: string;
  submit: string;
  send: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const change = useChange(send);
  const onSubmit = () => change.mutate(undefined, { onSuccess: onClose });
  return <ActionDialog {...change} {...dialog} isDangerous onClose={onClose} onSubmit={onSubmit} />;
}
