import { Text } from '@mantine/core';
import { bodyOf } from '../request.ts';
import { useActing } from '../session/session.ts';
import { ConfirmDialog } from '../shared/ActionDialog.tsx';

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
        Within 30 seconds, you can do nothing more here, and your name is no longer shown. Only a new invitation brings
        you back.
      </Text>
    </ConfirmDialog>
  );
}
