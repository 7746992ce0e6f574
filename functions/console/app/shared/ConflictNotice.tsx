import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { GitCompareArrows } from 'lucide-react';
import { formatTime } from './format.ts';
import { labelOf, STATUSES } from './wording.ts';

/** Changes with every other field, so it is shown only if no other one has changed. */
const LAST_CHANGE = 'updated_at';

/** The columns, which on a phone are labels of the values. */
const [BEFORE, NOW, MINE] = ['When you started', 'Now', 'Yours'];

function shown(value: unknown): string {
  if (value === 'active' || value === 'archived') return STATUSES[value];
  if (typeof value !== 'string' && typeof value !== 'number') return 'None';
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value)) ? formatTime(String(value)) : String(value);
}

/** Shows what somebody else changed meanwhile beside one's own change, and lets the person decide. */
export function ConflictNotice<Data extends object>({
  before,
  now,
  mine,
  onApply,
  onDrop,
}: {
  /** What the person saw when they started. */
  before: Data;
  now: Data;
  /** The values that the person wants, by field. */
  mine: Record<string, unknown>;
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
      title="Somebody changed this meanwhile"
      icon={<GitCompareArrows size={18} />}
    >
      <Stack gap="md">
        <Text>Your change was not made. Compare, then decide.</Text>
        <Table className="versions" withRowBorders={false} verticalSpacing="xs" horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>{BEFORE}</Table.Th>
              <Table.Th>{NOW}</Table.Th>
              {Object.keys(mine).length > 0 && <Table.Th>{MINE}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{labelOf(field)}</Table.Th>
                <Table.Td className="wraps" data-label={BEFORE}>
                  {shown(old[field])}
                </Table.Td>
                <Table.Td className="wraps" data-label={NOW} fw={old[field] === current[field] ? 400 : 600}>
                  {shown(current[field])}
                </Table.Td>
                {Object.keys(mine).length > 0 && (
                  <Table.Td className="wraps" data-label={MINE}>
                    {field in mine ? shown(mine[field]) : ''}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Group gap="sm">
          <Button size="xs" onClick={onApply}>
            Make my change anyway
          </Button>
          <Button size="xs" variant="default" onClick={onDrop}>
            Keep what is there now
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
