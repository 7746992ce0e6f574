import { Kbd, Stack, Table, Text } from '@mantine/core';
import { useSingleKeys } from '../preferences.ts';
import { texts } from './texts.ts';

const SHORTCUTS: [keys: string[], what: string][] = [
  [['/'], texts.keysOf.search],
  [['G', 'B'], texts.keysOf.branches],
  [['G', 'A'], texts.keysOf.activity],
  [['N'], texts.keysOf.newBranch],
  [['?'], texts.keysOf.help],
  [['Esc'], texts.keysOf.close],
];

/** The keyboard shortcuts of every view. */
export function Shortcuts() {
  const isOn = useSingleKeys();
  return (
    <Stack gap="sm">
      {!isOn && <Text>{texts.noSingleKeys}</Text>}
      <Table aria-label={texts.shortcuts}>
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
