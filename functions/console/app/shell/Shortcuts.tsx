import { Kbd, Stack, Table, Text } from '@mantine/core';
import { useSingleKeys } from '../preferences.ts';

const SHORTCUTS: [keys: string[], what: string][] = [
  [['/'], 'Find a terminal or a branch'],
  [['G', 'B'], 'Branches'],
  [['G', 'T'], 'Terminals'],
  [['G', 'A'], 'Activity'],
  [['N'], 'New branch'],
  [['F'], 'Filter the terminals, in their view'],
  [['?'], 'This list'],
  [['Esc'], 'Close what is open'],
];

/** The keyboard shortcuts of every view. */
export function Shortcuts() {
  const isOn = useSingleKeys();
  return (
    <Stack gap="sm">
      {!isOn && <Text>All but Esc are off. Turn them on in the menu of your account.</Text>}
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
