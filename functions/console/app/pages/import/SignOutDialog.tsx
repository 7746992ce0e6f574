import { List, Stack, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { ActionDialog } from '../../changes/ActionDialog.tsx';

type Props = Pick<ComponentProps<typeof ActionDialog>, 'isPending' | 'error' | 'onClose' | 'onSubmit'> & {
  /** Unfinished imports, in words. */
  imports: string[];
};

/** Asks before a sign-out takes imports away, and says why a sign-out has failed. */
export function SignOutDialog({ imports, ...dialog }: Props) {
  const isDiscarding = imports.length > 0;
  return (
    <ActionDialog
      title={isDiscarding ? 'Sign out and discard the import?' : 'Sign out'}
      submit={isDiscarding ? 'Discard and sign out' : 'Sign out'}
      isDangerous
      {...dialog}
    >
      {isDiscarding && (
        <Stack gap="sm">
          <Text>What it created stays. How far it is, and its report, are removed from this browser:</Text>
          <List>
            {imports.map((each) => (
              <List.Item key={each} className="wraps">
                {each}
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
    </ActionDialog>
  );
}
