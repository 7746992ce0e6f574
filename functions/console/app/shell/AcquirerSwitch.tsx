import { Group, Menu, Stack, Text, UnstyledButton, useMatches, VisuallyHidden } from '@mantine/core';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { personRoles } from '../resources/roles.ts';
import { useActing } from '../session/session.ts';
import { Verbatim } from '../shared/Verbatim.tsx';

const TYPES = { DISTRIBUTOR: 'Distributor', PAYMENT_PROVIDER: 'Payment provider' };

/** The acquirer as which the person acts, and a choice if they may act as several. */
export function AcquirerSwitch() {
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
