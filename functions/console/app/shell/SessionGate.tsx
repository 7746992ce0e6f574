import { Anchor, Button, Center, Image, List, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ProblemError } from '../api/request.ts';
import { forget } from '../kept/database.ts';
import { ProblemNotice } from '../resources/ProblemNotice.tsx';
import { announceSession, renewedSession } from '../session/renewal.ts';
import { type OwnAcquirer, type Session, sessionQuery, signInUrl } from '../session/session.ts';
import icon from './favicon.svg';

export const Notice = ({ title, detail, children }: { title: string; detail: string; children?: ReactNode }) => (
  <Center mih="100dvh" p="xl" component="main">
    <Stack gap="lg" maw={420} align="flex-start">
      <Image src={icon} w={40} h={40} alt="" />
      <Title order={1}>{title}</Title>
      <Text c="dimmed" fz="lg">
        {detail}
      </Text>
      {children}
    </Stack>
  </Center>
);

/** Where a window ends up in which a person has signed in for another one. */
export function SignedIn() {
  useEffect(() => {
    announceSession();
    close();
  }, []);
  return <Notice title="You are signed in" detail="You can close this window, and continue where you were." />;
}

/** What is shown in place of a page whose session has ended. */
export function Ended() {
  const [values] = useSearchParams();
  return (
    <Notice title="Your session has ended" detail="Sign in to continue where you were.">
      <Button component="a" size="md" href={signInUrl(values.get('return_to') ?? '/console')}>
        Sign in
      </Button>
    </Notice>
  );
}

export const OwnAcquirers = ({ acquirers }: { acquirers: OwnAcquirer[] }) => (
  <List>
    {acquirers.map(({ id, name }) => (
      <List.Item key={id}>
        <Anchor component={Link} href={`~/console/${id}`}>
          {name}
        </Anchor>
      </List.Item>
    ))}
  </List>
);

/** Shows its views to those who are signed in, and to others a button to sign in. */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  const person = data?.person.id;
  useEffect(() => {
    if (person !== undefined) announceSession();
  }, [person]);
  useEffect(() => {
    // A browser without IndexedDB keeps nothing.
    if (data) forget(data.person, { except: data.acquirers }).catch(() => {});
  }, [data]);
  const isSignedOut = error instanceof ProblemError && error.problem.status === 401;
  const isEnded = isSignedOut && data !== undefined;
  useEffect(() => {
    if (isEnded) renewedSession('ended', { isRead: true }).catch(() => {});
  }, [isEnded]);
  if (data) return children(data);
  if (isSignedOut)
    return (
      <Notice title="Console" detail="Find branches and terminals, see what happened to them, and put them right.">
        <Button component="a" size="md" href={signInUrl(location.pathname + location.search)}>
          Sign in
        </Button>
      </Notice>
    );
  return (
    <Center mih="100dvh" p="xl" component="main">
      {error ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Loader type="dots" aria-label="Console" />
      )}
    </Center>
  );
}
