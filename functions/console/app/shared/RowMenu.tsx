import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';

/** What can be done with a row or a page, in a menu. */
export const RowMenu = ({
  label,
  actions,
  ...button
}: Pick<ActionIconProps, 'variant' | 'size'> & {
  label: string;
  actions: { label: string; isDangerous?: boolean; onClick: () => void }[];
}) => (
  <Menu>
    <Menu.Target>
      <ActionIcon size="lg" aria-label={label} {...button}>
        <Ellipsis size={16} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {actions.map(({ label: action, isDangerous, onClick }) => (
        <Menu.Item key={action} onClick={onClick} {...(isDangerous && { c: 'red' })}>
          {action}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
