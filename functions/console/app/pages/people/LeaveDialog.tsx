import { Text } from '@mantine/core';
import { bodyOf } from '../../api/request.ts';
import { ConfirmDialog } from '../../changes/ActionDialog.tsx';
import { useActing } from '../../session/session.ts';

export function LeaveDialog({ onClose }: { onClose: () => void }) {
  const { api, acquirer } = useActing();
  const leave = async () => {
    await bodyOf(api.DELETE('/console/api/membership'));
    // Nothing of this acquirer can be read any more: the console begins anew.
    location.assign('/console');
    await new Promise(() => undefined);
  };
  return (
    <ConfirmDialog title={`Leave ${acquirer.name}`} submit="Leave" send={leave} onClose={onClose}>
      <Text>
        You lose access within 30 seconds. What you did stays in the activity, under your name. To come back, you need a
        new invitation.
      </Text>
    </ConfirmDialog>
  );
}
