import {
  ActionIcon,
  Anchor,
  AppShell,
  Avatar,
  Burger,
  Group,
  Image,
  Kbd,
  Menu,
  Modal,
  NavLink,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  useMatches,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useNetwork } from '@mantine/hooks';
import { Check, ChevronsUpDown } from 'lucide-react';
import { type ReactNode, Suspense, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useAnnouncement } from '../api/queries.ts';
import { ShownOnce } from '../changes/ShownOnce.tsx';
import { Undo } from '../changes/Undo.tsx';
import { useIsWorking } from '../jobs/job.ts';
import { Shortcuts } from '../pages/help/Shortcuts.tsx';
import { LeaveDialog } from '../pages/people/LeaveDialog.tsx';
import { ImportState, placesOf } from '../pages/views.ts';
import { OFFLINE } from '../resources/Loaded.tsx';
import { personRoles } from '../resources/roles.ts';
import { useActing } from '../session/session.ts';
import { useUnsaved } from '../shared/draft.ts';
import { setSingleKeys, useKeys, useSingleKeys } from '../shared/hotkeys.ts';
import { Verbatim } from '../shared/Verbatim.tsx';
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

const TYPES = { DISTRIBUTOR: 'Distributor', PAYMENT_PROVIDER: 'Payment provider' };

/** The acquirer as which the person acts, and a choice if they may act as several. */
function AcquirerSwitch() {
  const { acquirer, acquirers } = useActing();
  // The view, or the list of what it shows.
  const [, list] = useLocation()[0].split('/');
  // Beside the navigation, where there is one.
  const position = useMatches({ base: 'bottom-start', sm: 'right-start' } as const);
  const label = (
    <Stack gap={0} className="clipped">
      <Text fw={600} className="clipped" title={acquirer.name}>
        <Verbatim>{acquirer.name}</Verbatim>
      </Text>
      <Text size="xs" c="dimmed" className="clipped">
        {TYPES[acquirer.type]} · {personRoles[acquirer.role].name}
      </Text>
    </Stack>
  );
  if (acquirers.length === 1) return label;
  return (
    <Menu position={position} offset={8}>
      <Menu.Target>
        <UnstyledButton className="switch">
          <Group gap="xs" wrap="nowrap">
            <VisuallyHidden>You act as</VisuallyHidden>
            {label}
            <ChevronsUpDown size={14} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Act as</Menu.Label>
        {acquirers.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            component={Link}
            href={['~/console', id, list].filter(Boolean).join('/')}
            leftSection={<Check size={14} visibility={id === acquirer.id ? 'visible' : 'hidden'} />}
          >
            <Verbatim>{name}</Verbatim>{' '}
            <Text span size="sm" c="dimmed">
              {personRoles[role].name}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map(([initial = '']) => initial)
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join('');

const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' };

type AccountProps = Record<'onShortcuts' | 'onLeave', () => void> & { onSignOut: (everywhere: boolean) => void };

function AccountMenu({ onShortcuts, onLeave, onSignOut }: AccountProps) {
  const { person, acquirer } = useActing();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const hasSingleKeys = useSingleKeys();
  return (
    <Menu width={240} checkIcon={<Check size={14} />}>
      <Menu.Target>
        <ActionIcon size={36} radius="xl" aria-label={`${initialsOf(person.name)} Account of ${person.name}`}>
          <Avatar size={32} radius="xl" color="blue" aria-hidden>
            {initialsOf(person.name)}
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wraps">
          <Verbatim>{person.name}</Verbatim>
          {person.email && (
            <Text size="xs" className="wraps">
              {person.email}
            </Text>
          )}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme}>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} onClick={() => setColorScheme(scheme)}>
              {SCHEMES[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.CheckboxItem checked={hasSingleKeys} onChange={setSingleKeys}>
          Single-key shortcuts
        </Menu.CheckboxItem>
        <Menu.Item onClick={onShortcuts} rightSection={hasSingleKeys && <Kbd size="xs">?</Kbd>}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item onClick={() => onSignOut(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => onSignOut(true)}>Sign out everywhere</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={onLeave} className="wraps">
          Leave <Verbatim>{acquirer.name}</Verbatim>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

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
          <SearchBox />
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
                  <ImportState />
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
      {isHelpOpen && (
        <Modal opened onClose={help.close} title="Keyboard shortcuts" size="md">
          <Shortcuts />
        </Modal>
      )}
      <VisuallyHidden role="status">{useAnnouncement()}</VisuallyHidden>
      {dialog}
      {isLeaving && <LeaveDialog onClose={leaving.close} />}
      <ShownOnce />
      <Undo />
      <RenewalDialog person={person} />
    </AppShell>
  );
}
