import { Text } from '@mantine/core';
import { bodyOf } from '../request.ts';
import { useActing } from '../session/session.ts';
import { ActionDialog } from '../shared/ActionDialog.tsx';
import { useChange } from '../shared/useChange.ts';

/** Asks whether the person leaves the acquirer as which they act. */
export function LeaveDialog({ onClose }: { onClose: () => void }) {
  const { api, acquirer } = useActing();
  const change = useChange(async () => {
    await bodyOf(api.DELETE('/console/api/membership'));
    // Nothing of this acquirer can be read any more: the console begins anew.
    location.assign('/console');
    await new Promise(() => undefined);
  });
  return (
    <ActionDialog
      {...change}
      title={`Leave ${acquirer.name}`}
      submit="Leave"
      isDangerous
      onClose={onClose}
      onSubmit={() => change.mutate(undefined)}
    >
      <Text>
        Within 30 seconds, you can do nothing more here, and your name is no longer shown. Only a new invitation brings
        you back.
      </Text>
    </ActionDialog>
  );
}
