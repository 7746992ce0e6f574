import { Kbd, Modal, Stack, Table, Text } from '@mantine/core';
import { SEARCH_KEYS, useSingleKeys } from '../../shared/hotkeys.ts';

const SHORTCUTS: [keys: string[], what: string][] = [
  [SEARCH_KEYS, 'Find something, open a view, or do something with what is on the page'],
  [['/'], 'The search box'],
  [['G', 'B'], 'Branches'],
  [['G', 'T'], 'Terminals'],
  [['G', 'A'], 'Activity'],
  [['N'], 'New branch'],
  [['F'], 'Filter the terminals, in their view'],
  [['?'], 'This list'],
  [['Esc'], 'Close what is open'],
];

export function Shortcuts() {
  const isOn = useSingleKeys();
  return (
    <Stack gap="sm">
      {!isOn && <Text>All but {SEARCH_KEYS.join(' ')} and Esc are off. Turn them on in the menu of your account.</Text>}
      <Table aria-label="Keyboard shortcuts">
        <Table.Tbody>
          {SHORTCUTS.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Td>{what}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Keyboard shortcuts" size="md">
    <Shortcuts />
  </Modal>
);
