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
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useNetwork } from '@mantine/hooks';
import {
  Activity,
  Check,
  ChevronsUpDown,
  CircleHelp,
  House,
  KeyRound,
  LogOut,
  type LucideIcon,
  Store,
  Upload,
  Users,
} from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import icon from '../favicon.svg';
import { setSingleKeys, useSingleKeys } from '../preferences.ts';
import { SearchBox } from '../search/SearchBox.tsx';
import { RenewalDialog } from '../session/RenewalDialog.tsx';
import { type Permission, useActing } from '../session/session.ts';
import { useAnnouncement } from '../shared/announce.ts';
import { useUnsaved } from '../shared/draft.ts';
import { useKeys } from '../shared/hotkeys.ts';
import { useIsWorking } from '../shared/job.ts';
import { personRoles } from '../shared/roleTexts.ts';
import { ShownOnce } from '../shared/ShownOnce.tsx';
import { texts as shared } from '../shared/texts.ts';
import { ImportState } from './ImportState.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { texts } from './texts.ts';
import { useOpenedView } from './useOpenedView.ts';
import { useSignOut } from './useSignOut.tsx';

const VIEWS: { path: string; label: string; icon: LucideIcon; needs?: Permission }[] = [
  { path: '/', label: texts.home, icon: House },
  { path: '/branches', label: texts.branches, icon: Store },
  { path: '/activity', label: texts.activity, icon: Activity },
  { path: '/import', label: texts.importing, icon: Upload },
  { path: '/keys', label: texts.keys, icon: KeyRound, needs: 'administer' },
  { path: '/people', label: texts.people, icon: Users, needs: 'administer' },
  { path: '/help', label: texts.help, icon: CircleHelp },
];

const STAGE = document.documentElement.dataset['stage'] ?? '';

/** Says which environment this is, unless it is the real one. */
const StageBanner = () =>
  STAGE === 'prod' ? null : (
    <Text className="banner" size="sm" ta="center" px="md" py={4}>
      {STAGE === 'local' ? texts.demo : texts.stage(STAGE)}
    </Text>
  );

/** The acquirer as which the person acts, and a choice if they may act as several. */
function AcquirerSwitch() {
  const { acquirer, acquirers } = useActing();
  const label = (
    <Stack gap={0} className="clipped">
      <Text fw={600} className="clipped">
        <bdi>{acquirer.name}</bdi>
      </Text>
      <Text size="xs" c="dimmed" className="clipped">
        {texts.types[acquirer.type]} · {personRoles[acquirer.role].name}
      </Text>
    </Stack>
  );
  if (acquirers.length === 1) return label;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="switch">
          <Group gap="xs" wrap="nowrap">
            <VisuallyHidden>{texts.actingAs}</VisuallyHidden>
            {label}
            <ChevronsUpDown size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{texts.actAs}</Menu.Label>
        {acquirers.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            component={Link}
            href={`~/console/${id}`}
            leftSection={<Check size={14} aria-hidden visibility={id === acquirer.id ? 'visible' : 'hidden'} />}
          >
            <bdi>{name}</bdi>{' '}
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

function AccountMenu({
  onShortcuts,
  onSignOut,
}: {
  onShortcuts: () => void;
  onSignOut: (everywhere: boolean) => Promise<void>;
}) {
  const { person } = useActing();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const hasSingleKeys = useSingleKeys();
  return (
    <Menu width={240} checkIcon={<Check size={14} aria-hidden />}>
      <Menu.Target>
        <ActionIcon size={36} radius="xl" aria-label={`${initialsOf(person.name)} ${texts.account(person.name)}`}>
          <Avatar size={32} radius="xl" color="blue" aria-hidden>
            {initialsOf(person.name)}
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wraps">
          <bdi>{person.name}</bdi>
          {person.email && (
            <Text size="xs" className="wraps">
              {person.email}
            </Text>
          )}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>{texts.theme.label}</Menu.Label>
        <Menu.RadioGroup value={colorScheme}>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} onClick={() => setColorScheme(scheme)}>
              {texts.theme[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.CheckboxItem checked={hasSingleKeys} onChange={setSingleKeys}>
          {texts.singleKeys}
        </Menu.CheckboxItem>
        <Menu.Item onClick={onShortcuts} rightSection={hasSingleKeys && <Kbd size="xs">?</Kbd>}>
          {texts.shortcuts}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={() => void onSignOut(false)}>
          {texts.signOut}
        </Menu.Item>
        <Menu.Item onClick={() => void onSignOut(true)}>{texts.signOutEverywhere}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What surrounds every view: the search box, the views, the acquirer, and the account. */
export function Shell({ children }: { children: ReactNode }) {
  const { acquirer, person } = useActing();
  const [location, navigate] = useLocation();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const { online } = useNetwork();
  const { signOut, dialog } = useSignOut();
  useUnsaved(useIsWorking());
  useKeys({
    '?': help.open,
    'g b': () => navigate('/branches'),
    'g a': () => navigate('/activity'),
    ...(acquirer.permissions.includes('change') && { n: () => navigate('/new-branch') }),
  });
  useOpenedView(location);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every view begins without the menu
  useEffect(() => menu.close(), [location]);

  const isCurrent = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <AppShell
      header={{ height: { base: 108, sm: 60 } }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={0}
    >
      <Anchor href="#content" className="skip">
        {texts.skip}
      </Anchor>
      <AppShell.Header className="header">
        <Burger
          opened={isMenuOpen}
          onClick={menu.toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={texts.menu}
          aria-expanded={isMenuOpen}
        />
        <Group gap="sm" wrap="nowrap" className="header-acquirer">
          <Image src={icon} w={28} h={28} alt="" visibleFrom="xs" />
          <AcquirerSwitch />
        </Group>
        <search className="header-search">
          <SearchBox />
        </search>
        <AccountMenu onShortcuts={help.open} onSignOut={signOut} />
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={texts.menu}>
        {VIEWS.filter(({ needs = 'read' }) => acquirer.permissions.includes(needs)).map(
          ({ path, label, icon: Icon }) => (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={label}
              active={isCurrent(path)}
              aria-current={isCurrent(path) ? 'page' : undefined}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={path === '/import' && <ImportState />}
            />
          ),
        )}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <StageBanner />
        {!online && (
          <Text role="status" className="banner offline" size="sm" ta="center" px="md" py={4}>
            {shared.offline}
          </Text>
        )}
        <Stack gap="xl" className="content">
          {children}
        </Stack>
      </AppShell.Main>
      {isHelpOpen && (
        <Modal
          opened
          onClose={help.close}
          title={texts.shortcuts}
          size="md"
          closeButtonProps={{ 'aria-label': shared.close }}
        >
          <Shortcuts />
        </Modal>
      )}
      <VisuallyHidden role="status">{useAnnouncement()}</VisuallyHidden>
      {dialog}
      <ShownOnce />
      <RenewalDialog person={person} />
    </AppShell>
  );
}
