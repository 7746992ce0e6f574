import { Anchor, AppShell, Burger, Group, Image, NavLink, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useNetwork } from '@mantine/hooks';
import { type ReactNode, Suspense, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useAnnouncement } from '../api/queryClient.ts';
import { ShownOnce } from '../changes/ShownOnce.tsx';
import { Undo } from '../changes/Undo.tsx';
import { useIsWorking } from '../jobs/job.ts';
import { ImportIndicator, LeaveDialog, placesOf, ShortcutsDialog } from '../pages/views.ts';
import { OFFLINE } from '../resources/Loaded.tsx';
import { useActing } from '../session/session.ts';
import { useUnsaved } from '../shared/draft.ts';
import { useKeys } from '../shared/hotkeys.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { AcquirerSwitch } from './AcquirerSwitch.tsx';
import icon from './favicon.svg';
import { RenewalDialog } from './RenewalDialog.tsx';
import { SearchBox } from './SearchBox.tsx';
import { useOpenedView } from './useOpenedView.ts';
import { useSignOut } from './useSignOut.tsx';

const STAGE = document.documentElement.dataset['stage'] ?? '';

/** Says which environment this is, unless it is the real one. */
const StageBanner = () =>
  STAGE === 'prod' ? null : (
    <Text className="banner" size="sm" ta="center" px="md" py={4}>
      {STAGE === 'local'
        ? 'Demo: you look at made-up data, and can change all of it.'
        : `Test environment “${STAGE}”: nothing here is real.`}
    </Text>
  );

export function Shell({ children }: { children: ReactNode }) {
  const { acquirer, person } = useActing();
  const [location, navigate] = useLocation();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const [isLeaving, leaving] = useDisclosure();
  const { online } = useNetwork();
  const { signOut, dialog } = useSignOut();
  useUnsaved(useIsWorking());
  useKeys({
    '?': help.open,
    'g b': () => navigate('/branches'),
    'g t': () => navigate('/terminals'),
    'g a': () => navigate('/activity'),
    ...(acquirer.permissions.includes('change') && { n: () => navigate('/new-branch') }),
  });
  useOpenedView(location);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every view begins without the menu
  useEffect(() => menu.close(), [location]);

  const listed = placesOf(acquirer).filter(({ isUnlisted }) => !isUnlisted);
  const isCurrent = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <AppShell
      header={{ height: { base: 108, sm: 60 } }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={0}
    >
      <Anchor href="#content" className="skip">
        Skip to the content
      </Anchor>
      <AppShell.Header className="header">
        <Burger
          opened={isMenuOpen}
          onClick={menu.toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
        />
        <Group gap="sm" wrap="nowrap" className="header-acquirer">
          <Image src={icon} w={28} h={28} alt="" visibleFrom="xs" />
          <AcquirerSwitch />
        </Group>
        <search className="header-search">
          <SearchBox onSignOut={signOut} />
        </search>
        <AccountMenu onShortcuts={help.open} onLeave={leaving.open} onSignOut={signOut} />
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Menu">
        {listed.map(({ path, label, icon: Icon }) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={label}
            active={isCurrent(path)}
            aria-current={isCurrent(path) ? 'page' : undefined}
            leftSection={<Icon size={16} />}
            rightSection={
              path === '/import' && (
                <Suspense>
                  <ImportIndicator />
                </Suspense>
              )
            }
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <StageBanner />
        {!online && (
          <Text role="status" className="banner offline" size="sm" ta="center" px="md" py={4}>
            {OFFLINE}
          </Text>
        )}
        <Stack gap="xl" className="content" data-acquirer={acquirer.name}>
          {children}
        </Stack>
      </AppShell.Main>
      <VisuallyHidden role="status">{useAnnouncement()}</VisuallyHidden>
      <Suspense>
        {dialog}
        {isHelpOpen && <ShortcutsDialog onClose={help.close} />}
        {isLeaving && <LeaveDialog onClose={leaving.close} />}
      </Suspense>
      <ShownOnce />
      <Undo />
      <RenewalDialog person={person} />
    </AppShell>
  );
}
