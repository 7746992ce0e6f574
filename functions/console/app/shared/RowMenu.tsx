import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';

/** What can be done with a row of a table. */
export const RowMenu = ({
  label,
  actions,
}: {
  label: string;
  actions: { label: string; isDangerous?: boolean; onClick: () => void }[];
}) => (
  <Menu>
    <Menu.Target>
      <ActionIcon size="lg" aria-label={label}>
        <Ellipsis size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {actions.map(({ label: action, isDangerous, onClick }) => (
        <Menu.Item key={action} onClick={onClick} {...(isDangerous && { color: 'red' })}>
          {action}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
