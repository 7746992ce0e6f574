import { ActionIcon, Button, Checkbox, Group, Popover, Stack } from '@mantine/core';
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import type { Column } from '../../../../../docs/client/estate/estate.ts';
import { allColumns, columnLabel } from './columns.tsx';

/** Chooses the columns of the table and their order, for the screen, files and paper. */
export function ColumnsMenu({ columns, onChange }: { columns: Column[]; onChange: (columns: Column[]) => void }) {
  const left = allColumns.filter((column) => !columns.includes(column));
  const toggle = (column: Column, isShown: boolean) =>
    onChange(isShown ? [...columns, column] : columns.filter((each) => each !== column));
  const swap = (at: number, by: -1 | 1) => {
    const next = [...columns];
    [next[at], next[at + by]] = [next[at + by] as Column, next[at] as Column];
    onChange(next);
  };
  return (
    <Popover position="bottom-end" shadow="md" trapFocus width={280}>
      <Popover.Target>
        <Button variant="default" leftSection={<Columns3 size={16} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {[...columns, ...left].map((column, at) => {
            const isShown = at < columns.length;
            const label = columnLabel(column);
            return (
              <Group key={column} gap={0} wrap="nowrap" mih={28}>
                <Checkbox
                  className="grows"
                  label={label}
                  checked={isShown}
                  disabled={at === 0}
                  onChange={(event) => toggle(column, event.currentTarget.checked)}
                />
                {isShown && at > 0 && (
                  <>
                    <ActionIcon aria-label={`${label} earlier`} disabled={at === 1} onClick={() => swap(at, -1)}>
                      <ArrowUp size={14} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={`${label} later`}
                      disabled={at === columns.length - 1}
                      onClick={() => swap(at, 1)}
                    >
                      <ArrowDown size={14} />
                    </ActionIcon>
                  </>
                )}
              </Group>
            );
          })}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
