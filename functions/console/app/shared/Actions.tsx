import { Button } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { observed } from './observed.ts';
import { RowMenu } from './RowMenu.tsx';

/** Something that the person may do with what is on screen. It opens a dialog, which asks first. */
export interface Action {
  label: string;
  icon: LucideIcon;
  onClick: () => void;
  /** Whether it is the main button, or an item of the menu behind the buttons. */
  as?: 'filled' | 'more' | undefined;
  isDangerous?: boolean;
}

const offered = observed<readonly Action[]>([]);

export const useOffered = (): readonly Action[] => offered.use((actions) => actions);

/** What the person may do with what is on screen, as buttons. The command menu offers the same. */
export function Actions({ actions }: { actions: Action[] }) {
  useEffect(() => offered.set(actions), [actions]);
  useEffect(() => () => offered.set([]), []);
  const more = actions.filter(({ as }) => as === 'more');
  return (
    <>
      {actions.map(({ label, icon: Icon, onClick, as = 'default' }) =>
        as === 'more' ? null : (
          <Button key={label} variant={as} leftSection={<Icon size={16} />} onClick={onClick}>
            {label}
          </Button>
        ),
      )}
      {more.length > 0 && <RowMenu label="More actions" actions={more} variant="default" size={36} />}
    </>
  );
}
