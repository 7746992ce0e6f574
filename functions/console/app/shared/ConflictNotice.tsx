import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { GitCompareArrows } from 'lucide-react';
import { formatTime } from './format.ts';
import type { Conflict } from './guarded.ts';
import { texts } from './texts.ts';

/** Changes with every other field, so it is shown only if no other one has changed. */
const LAST_CHANGE = 'updated_at';

function shown(value: unknown): string {
  if (value === 'active' || value === 'archived') return texts.status[value];
  if (typeof value !== 'string' && typeof value !== 'number') return texts.none;
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value)) ? formatTime(String(value)) : String(value);
}

/** Shows what somebody else changed meanwhile beside one's own change, and lets the person decide. */
export function ConflictNotice<Data extends object>({
  conflict: { before, now },
  mine = {},
  onApply,
  onDrop,
}: {
  conflict: Conflict<Data>;
  /** The values that the person wants, by field. */
  mine?: Record<string, unknown>;
  onApply: () => void;
  onDrop: () => void;
}) {
  const [old, current] = [before as Record<string, unknown>, now as Record<string, unknown>];
  const isChanged = (field: string) => field !== LAST_CHANGE && old[field] !== current[field];
  const names = Object.keys(current);
  const isAnyChanged = names.some(isChanged);
  const fields = names.filter(
    (field) =>
      isChanged(field) || (field in mine && mine[field] !== old[field]) || (field === LAST_CHANGE && !isAnyChanged),
  );
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      title={texts.conflict.title}
      icon={<GitCompareArrows size={18} />}
    >
      <Stack gap="md">
        <Text>{texts.conflict.intro}</Text>
        <Table className="versions" withRowBorders={false} verticalSpacing="xs" horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.conflict.field}</Table.Th>
              <Table.Th>{texts.conflict.before}</Table.Th>
              <Table.Th>{texts.conflict.now}</Table.Th>
              {Object.keys(mine).length > 0 && <Table.Th>{texts.conflict.mine}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{texts.fields[field] ?? field}</Table.Th>
                <Table.Td className="wraps" data-label={texts.conflict.before}>
                  {shown(old[field])}
                </Table.Td>
                <Table.Td
                  className="wraps"
                  data-label={texts.conflict.now}
                  fw={old[field] === current[field] ? 400 : 600}
                >
                  {shown(current[field])}
                </Table.Td>
                {Object.keys(mine).length > 0 && (
                  <Table.Td className="wraps" data-label={texts.conflict.mine}>
                    {field in mine ? shown(mine[field]) : ''}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Group gap="sm">
          <Button size="xs" onClick={onApply}>
            {texts.conflict.apply}
          </Button>
          <Button size="xs" variant="default" onClick={onDrop}>
            {texts.conflict.drop}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
