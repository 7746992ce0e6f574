import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ProblemError } from '../request.ts';
import { useRenewal } from '../session/renewal.ts';
import { useReturnedFocus } from './focus.ts';
import { Waiting } from './Loaded.tsx';
import { ProblemNotice } from './ProblemNotice.tsx';
import { refusedFields } from './rules.ts';
import { texts } from './texts.ts';

/** The width below which dialogs fill the screen. */
export const PHONE = '(max-width: 36em)';

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
  /** The label of the button that sends the change. */
  submit: string;
  onSubmit: () => void;
  onClose: () => void;
  isPending: boolean;
  /** Why the change is being sent again. */
  failureReason?: Error | null;
  error: Error | null;
  /** Shown in place of the error and the button: see ConflictNotice. */
  conflict?: ReactNode;
  isDangerous?: boolean;
  isDisabled?: boolean;
  size?: 'lg' | number;
  children: ReactNode;
}) {
  const isPhone = useMediaQuery(PHONE);
  // Field errors are at their fields.
  const isAtFields = error instanceof ProblemError && error.problem.code === 'validation_failed';
  // What is wrong with no field, such as too many of something.
  const refusal = refusedFields(error)[''];
  const isConflict = error instanceof ProblemError && error.problem.code === 'precondition_failed';
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
      fullScreen={isPhone}
      closeButtonProps={{ 'aria-label': texts.close }}
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
          {!conflict && error && !isPending && !isAtFields && !isConflict && <ProblemNotice error={error} isChange />}
          {refusal && !isPending && (
            <Alert color="red" role="alert" className="wraps">
              {refusal}
            </Alert>
          )}
          {isPending && <Waiting reason={failureReason} />}
          {!conflict && (
            <Group justify="flex-end" gap="sm">
              <Button variant="default" disabled={isUnderWay} onClick={onClose}>
                {texts.cancel}
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
