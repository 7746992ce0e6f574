import { Group, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { cellOf, type Row } from '../../bulk/importRow.ts';
import type { CellProblem, Difference, Plan } from '../../bulk/planImport.ts';
import { Pager } from '../../resources/ListPages.tsx';
import { formatNumber } from '../../shared/format.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { detailOf, fieldName, lookalikes } from './cells.ts';

const PER_PAGE = 50;

interface Listed {
  key: string;
  cell: CellProblem | Difference;
  row: Row;
}

const COLUMNS: Column<Listed>[] = [
  {
    name: 'Line',
    width: '7rem',
    narrow: 'first',
    cell: ({ cell }) => (
      <Text inherit fw={600}>
        Line {formatNumber(cell.line)}
      </Text>
    ),
  },
  {
    name: 'Cell',
    narrow: 'second',
    cell: ({ cell, row }) => {
      const value = cellOf(row, cell.field) ?? 'Empty';
      const detail = 'code' in cell ? detailOf(cell, value) : lookalikes(value, cell.value).trim();
      const id = cell.field in row.terminal ? row.terminal.terminal_id : row.mid;
      return (
        <Group gap="2px 1rem" align="flex-start">
          <div className="grows">
            <Text inherit c="dimmed" className="wraps">
              {id && `${id} · `}
              {fieldName(cell.field)}
            </Text>
            <Text inherit lineClamp={4} className="wraps">
              <Verbatim>{'code' in cell ? value : `${cell.value ?? 'None'} → ${value}`}</Verbatim>
            </Text>
          </div>
          {detail && (
            <Text inherit className="grows wraps">
              {detail}
            </Text>
          )}
        </Group>
      );
    },
  },
];

/** Cells of a file by line: what is wrong in each, or what it changes. */
export function Cells({ title, plan, cells }: { title: string; plan: Plan; cells: Listed['cell'][] }) {
  const [asked, setAsked] = useState(1);
  const listed = useMemo(() => {
    const rows = new Map(plan.rows.map((row) => [row.line, row]));
    return cells
      .toSorted((one, other) => one.line - other.line)
      .map((cell, at): Listed => ({ key: `${at}`, cell, row: rows.get(cell.line) as Row }));
  }, [plan, cells]);
  if (listed.length === 0) return null;
  const page = Math.min(asked, Math.ceil(listed.length / PER_PAGE));
  return (
    <Stack gap="md" component="section">
      <Title order={3}>{title}</Title>
      <Rows
        label={title}
        columns={COLUMNS}
        rows={listed.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
        keyOf={({ key }) => key}
      />
      <Pager meta={{ current_page: page, per_page: PER_PAGE, total: listed.length }} onPage={setAsked} />
    </Stack>
  );
}
