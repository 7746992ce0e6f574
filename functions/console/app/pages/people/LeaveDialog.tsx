import { Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { bodyOf } from '../../api/request.ts';
import { ActionDialog, ConfirmDialog } from '../../changes/ActionDialog.tsx';
import { usePeople } from '../../resources/data.ts';
import { useActing, useMay } from '../../session/session.ts';

/** Whether the person is the only admin, who keeps that role. If it cannot be read, the service has the last word. */
export function useIsOnlyAdmin(): boolean {
  const { data } = usePeople(useMay('administer'));
  return data?.people.filter(({ role }) => role === 'admin').length === 1;
}

export function LeaveDialog({ onClose }: { onClose: () => void }) {
  const { api, acquirer } = useActing();
  const isOnlyAdmin = useIsOnlyAdmin();
  const [, go] = useLocation();
  if (isOnlyAdmin)
    return (
      <ActionDialog
        title={`${acquirer.name} needs you`}
        submit="Go to People"
        isPending={false}
        error={null}
        onClose={onClose}
        onSubmit={() => {
          onClose();
          go('/people');
        }}
      >
        <Text>You are its only admin. Before you leave, make somebody else an admin, or invite one.</Text>
      </ActionDialog>
    );
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
