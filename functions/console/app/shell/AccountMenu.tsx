import { ActionIcon, Avatar, Kbd, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { Check } from 'lucide-react';
import { useActing } from '../session/session.ts';
import { setSingleKeys, useSingleKeys } from '../shared/hotkeys.ts';
import { Verbatim } from '../shared/Verbatim.tsx';

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map(([initial = '']) => initial)
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join('');

export const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' };

type AccountProps = Record<'onShortcuts' | 'onLeave', () => void> & { onSignOut: (everywhere: boolean) => void };

/** The menu of the person: appearance, shortcuts, and ways to leave. */
export function AccountMenu({ onShortcuts, onLeave, onSignOut }: AccountProps) {
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
        <Menu.CheckboxItem checked={hasSingleKeys} onChange={setSingleKeys} className="of-keys">
          Single-key shortcuts
        </Menu.CheckboxItem>
        <Menu.Item onClick={onShortcuts} className="of-keys" rightSection={hasSingleKeys && <Kbd size="xs">?</Kbd>}>
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
