import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { ProblemError } from '../api/request.ts';
import { giveUp, isAsking, leaveEnded, onSessionChange, renew, useRenewal } from '../session/renewal.ts';
import { type Session, sessionQuery, signInUrl } from '../session/session.ts';
import { leave } from '../shared/draft.ts';

const ASKED = {
  ended: {
    title: 'Your session has ended',
    detail: 'Sign in again to continue. Everything you typed is still here.',
  },
  again: {
    title: 'Confirm that it is you',
    detail:
      'To change API keys, people or webhooks, sign in again: your sign-in is older than 15 minutes. Everything you ' +
      'typed is still here.',
  },
};

/** After the key that closes it, which would also close a dialog below. */
const close = () => setTimeout(giveUp);

/** Hides the page, its title and other dialogs, until the same person has signed in. It goes on then as it was. */
function useLock(isLocked: boolean): void {
  useLayoutEffect(() => {
    if (!isLocked) return;
    const { title } = document;
    document.title = 'Console';
    document.documentElement.dataset['locked'] = '';
    return () => {
      document.title = title;
      delete document.documentElement.dataset['locked'];
    };
  }, [isLocked]);
}

/**
 * Asks for a sign-in in a new window, so that nothing typed is lost. Without a session, nothing else is shown. If the
 * person has signed out or somebody else has signed in, in any window, nothing of the earlier person may stay: the page
 * loads anew.
 */
export function RenewalDialog({ person }: { person: Session['person'] }) {
  const reason = useRenewal();
  const queries = useQueryClient();
  const first = useRef(person.id);
  const isEnded = reason === 'ended';
  useLock(isEnded);
  useEffect(() => {
    if (person.id !== first.current) leave();
  }, [person.id]);
  useEffect(
    () =>
      onSessionChange(async () => {
        try {
          const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
          if (session.person.id === first.current) renew();
        } catch (error) {
          // A session that has ended while it is asked for stays asked for.
          if (error instanceof ProblemError && error.problem.status === 401 && !isAsking()) leave();
        }
      }),
    [queries],
  );
  if (!reason) return null;
  return (
    <Modal
      opened
      onClose={close}
      title={ASKED[reason].title}
      withCloseButton={false}
      closeOnEscape={!isEnded}
      closeOnClickOutside={!isEnded}
      size="md"
      zIndex={400}
      portalProps={{ reuseTargetNode: false, className: 'unlocks' }}
    >
      <Stack gap="lg">
        <Text>{ASKED[reason].detail}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isEnded ? leaveEnded : giveUp}>
            {isEnded ? 'Discard and leave' : 'Cancel'}
          </Button>
          <Button
            component="a"
            target="_blank"
            href={signInUrl('/console/signed-in', { again: reason === 'again' })}
            data-autofocus
          >
            Sign in in a new window
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
