import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { GitCompareArrows } from 'lucide-react';
import { labelOf, STATUSES } from '../fields/wording.ts';
import { formatTime } from '../shared/format.ts';

/** Changes with every other field, so it is shown only if no other one has changed. */
const LAST_CHANGE = 'updated_at';

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
  before: Data;
  now: Data;
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
  const isMine = Object.keys(mine).length > 0;
  /** On a phone, their names are labels of the values. */
  const columns = [
    { name: 'When you started', values: old },
    { name: 'Now', values: current },
    ...(isMine ? [{ name: 'Yours', values: mine }] : []),
  ];
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
              {columns.map(({ name }) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{labelOf(field)}</Table.Th>
                {columns.map(({ name, values }) => (
                  <Table.Td
                    key={name}
                    className="wraps"
                    data-label={name}
                    fw={values === current && isChanged(field) ? 600 : 400}
                  >
                    {field in values ? shown(values[field]) : ''}
                  </Table.Td>
                ))}
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
