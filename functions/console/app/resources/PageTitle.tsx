import { Anchor, Breadcrumbs, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useActing } from '../session/session.ts';
import { Verbatim } from '../shared/Verbatim.tsx';
import { guideUrl } from './paths.ts';

/** What a thing is part of, outermost first: a view, then things by their names, each with its path. */
type Trail = [name: string, path: string][];

const Trail = ({ of }: { of: Trail }) => (
  <nav aria-label="Breadcrumb">
    <Breadcrumbs separator="›">
      {of.map(([name, path], at) => (
        <Anchor key={path} component={Link} href={path} size="sm" className="clipped" title={name}>
          {at === 0 ? name : <Verbatim>{name}</Verbatim>}
        </Anchor>
      ))}
    </Breadcrumbs>
  </nav>
);

/** The head of a view: its title, what it is about, and what can be done. */
export function PageTitle({
  title,
  isName = false,
  badge,
  children,
  actions,
  guide,
  trail,
}: {
  title: string;
  /** Whether the title is what somebody named, which is not translated. */
  isName?: boolean;
  badge?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  guide?: string;
  trail?: Trail;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The view was just opened: see useOpenedView.
    if (document.activeElement?.id === 'content') heading.current?.focus({ preventScroll: true });
  }, []);
  useDocumentTitle(`${title} · ${useActing().acquirer.name}`);
  return (
    <Group justify="space-between" align="flex-start" gap="md" component="header">
      <Stack gap="xs" className="grows">
        {trail && <Trail of={trail} />}
        <Group gap="sm" align="center">
          <Title
            order={1}
            ref={heading}
            tabIndex={-1}
            className="wraps"
            dir="auto"
            translate={isName ? 'no' : undefined}
          >
            {title}
          </Title>
          {badge}
        </Group>
        {(children || guide) && (
          <Text c="dimmed" component="div" className="wraps" mih="1lh">
            {children}{' '}
            {guide && (
              <Anchor href={guideUrl(guide)} target="_blank">
                Guide
              </Anchor>
            )}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}

/** The outline of the head of a thing, as high as the head is, so that nothing below moves when it comes. */
export const TitleOutline = ({ trail, hasActions }: { trail: Trail; hasActions: boolean }) => (
  <Group justify="space-between" align="flex-start" gap="md" component="header">
    <Stack gap="xs" className="grows">
      <Trail of={trail} />
      <Skeleton width={280} height={32.5} />
      <Skeleton width={160} height={21} />
    </Stack>
    {hasActions && (
      <Skeleton width={280}>
        <Button component="div">&nbsp;</Button>
      </Skeleton>
    )}
  </Group>
);

export const AdminsOnly = ({ title, guide }: { title: string; guide: string }) => (
  <PageTitle title={title} guide={guide}>
    Only admins of {useActing().acquirer.name} can see and change this. Ask the person who invited you.
  </PageTitle>
);

/** Shown where nothing is: says so, and leads on. */
export const NotThere = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="lg" align="flex-start">
    <PageTitle title={title}>{children}</PageTitle>
    <Anchor component={Link} href="/">
      Home
    </Anchor>
    <Anchor component={Link} href="/branches">
      Search all branches
    </Anchor>
  </Stack>
);
