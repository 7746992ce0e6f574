import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isProblem } from '../api/request.ts';
import { refusedFields } from '../fields/refusals.ts';
import { Waiting } from '../resources/Loaded.tsx';
import { ProblemNotice } from '../resources/ProblemNotice.tsx';
import { useRenewal } from '../session/renewal.ts';
import { useUnsaved } from '../shared/draft.ts';
import { useReturnedFocus } from '../shared/returnedFocus.ts';
import { comeBack, follow, useStay } from '../shared/stay.ts';
import { useChange } from './useChange.ts';

/** The fields of a form that a person types into, but for those that only confirm something or lead to a page. */
const TYPED = 'textarea, input:not([type="checkbox"], [type="radio"], [type="hidden"], [data-confirms], nav *)';

const textsIn = (form: HTMLFormElement): string =>
  [...form.querySelectorAll<HTMLInputElement>(TYPED)].flatMap(({ value }) => value.trim() || []).join('\n');

/**
 * Asks before what was typed into a form is lost: when the person closes its dialog, goes back, or closes the page. The
 * fields themselves say whether there is something, so no dialog can forget one.
 */
function useTyped(holdsTyped: boolean, onClose: () => void) {
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<string>(undefined);
  const [isAsking, setIsAsking] = useState(false);
  const isTyped = useCallback(
    () => holdsTyped || (form.current !== null && textsIn(form.current) !== first.current),
    [holdsTyped],
  );
  useUnsaved(isTyped);
  useStay(isTyped, () => setIsAsking(true));
  return {
    isAsking,
    /** Whether no other dialog is above it, such as the camera. Escape closes the one on top. */
    isOnTop: () =>
      form.current?.closest('[aria-modal="true"]') === [...document.querySelectorAll('[aria-modal="true"]')].at(-1),
    ref(mounted: HTMLFormElement | null) {
      form.current = mounted;
      if (mounted) first.current ??= textsIn(mounted);
    },
    close: () => (isTyped() ? setIsAsking(true) : onClose()),
    keep() {
      comeBack();
      setIsAsking(false);
    },
    discard() {
      flushSync(follow);
      // Unless it was closed by where the person went.
      if (form.current) onClose();
    },
  };
}

function DiscardDialog({ keep, discard, isBehind }: { keep: () => void; discard: () => void; isBehind: boolean }) {
  useReturnedFocus();
  return (
    <Modal
      opened
      // After the key that closes it, which would also close the dialog below.
      onClose={() => setTimeout(keep)}
      closeOnClickOutside={false}
      closeOnEscape={!isBehind}
      withCloseButton={false}
      title="Discard what you typed?"
      size="md"
    >
      <Stack gap="lg">
        <Text>What is not sent yet is lost.</Text>
        <Group justify="flex-end" gap="sm" className="dialog-end">
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
          <Button data-autofocus onClick={keep}>
            Keep it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/**
 * A dialog that asks for what a change needs, and sends it. What was typed stays until the change is made, or the
 * person discards it.
 */
export function ActionDialog({
  title,
  submit,
  cancel = 'Cancel',
  onSubmit,
  onClose,
  isPending,
  isPaused = false,
  failureReason = null,
  error,
  conflict,
  isDangerous = false,
  isDisabled = false,
  holdsTyped = false,
  size = 'lg',
  children,
}: {
  title: string;
  submit: string;
  cancel?: string;
  onSubmit: () => void;
  onClose: () => void;
  isPending: boolean;
  isPaused?: boolean;
  failureReason?: Error | null;
  error: Error | null;
  /** Shown in place of the error and the button: see ConflictNotice. */
  conflict?: ReactNode;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Whether it holds something that was typed, and that no field of it shows. */
  holdsTyped?: boolean;
  size?: 'lg' | number;
  children: ReactNode;
}) {
  // Field errors are at their fields, and `conflict` shows what somebody else has changed.
  const isElsewhere = isProblem(error, 'validation_failed') || isProblem(error, 'precondition_failed');
  // What is wrong with no field, such as too many of something.
  const refusal = refusedFields(error)[''];
  // What is under way cannot be taken back. While it waits for the network or to be sent again, it can.
  const isUnderWay = isPending && !isPaused && failureReason === null;
  // Above it, the sign-in has the keys.
  const isBehind = useRenewal() !== undefined;
  const { isAsking, isOnTop, ref, close, ...asked } = useTyped(holdsTyped, onClose);
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={() => isUnderWay || !isOnTop() || close()}
      closeOnClickOutside={false}
      closeOnEscape={!isBehind && !isAsking}
      title={title}
      size={size}
    >
      <form
        ref={ref}
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
              <Button variant="default" disabled={isUnderWay} onClick={close}>
                {cancel}
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
      {isAsking && <DiscardDialog {...asked} isBehind={isBehind} />}
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
