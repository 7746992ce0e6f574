import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { CircleEqual, CircleX } from 'lucide-react';
import { useMemo } from 'react';
import type { Ledger } from '../../estate/ledger.ts';
import type { CellProblem, Plan } from '../../estate/plan.ts';
import { cellOf } from '../../estate/row.ts';
import { useAddress } from '../../shared/address.ts';
import { listPageOf } from '../../shared/data.ts';
import { formatNumber } from '../../shared/format.ts';
import { Pager } from '../../shared/ListPages.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { detailOf, fieldName } from './cells.ts';

const PER_PAGE = 50;

interface Listed {
  key: string;
  problem: CellProblem;
  value: string | undefined;
  outcome: string;
}

const OUTCOMES: Record<string, string> = { refused: 'Not imported', exists: 'Exists' };

function Outcome({ outcome }: Pick<Listed, 'outcome'>) {
  const [color, Icon] = outcome === 'refused' ? (['red', CircleX] as const) : (['gray', CircleEqual] as const);
  return (
    <Badge variant="light" color={color} leftSection={<Icon size={12} />}>
      {OUTCOMES[outcome]}
    </Badge>
  );
}

const COLUMNS: Column<Listed>[] = [
  {
    name: 'Line',
    width: '7rem',
    narrow: 'first',
    cell: ({ problem }) => (
      <Text inherit fw={600}>
        Line {formatNumber(problem.line)}
      </Text>
    ),
  },
  {
    name: 'Cell, and what to change',
    narrow: 'second',
    cell: ({ problem, value }) => (
      <Group gap="2px 1rem" align="flex-start">
        <div className="grows">
          <Text inherit c="dimmed">
            {fieldName(problem.field)}
          </Text>
          <Text inherit lineClamp={2} className="wraps">
            <bdi>{value ?? 'Empty'}</bdi>
          </Text>
        </div>
        <Text inherit className="grows wraps">
          {detailOf(problem)}
        </Text>
      </Group>
    ),
  },
  { name: 'Row', width: '9rem', narrow: 'end', cell: Outcome },
];

/** What is wrong in the rows of a file, by line. */
export function Problems({ plan, ledger }: { plan: Plan; ledger: Ledger }) {
  const [values, change] = useAddress();
  const { page: asked } = listPageOf(values);
  const problems = useMemo(() => {
    const rows = new Map(plan.rows.map((row) => [row.line, row]));
    return ledger.problems
      .toSorted((one, other) => one.line - other.line)
      .map((problem, at): Listed => {
        const row = rows.get(problem.line);
        const outcome = ledger.outcomes.get(problem.line) ?? '';
        return { key: `${at}`, problem, value: row && cellOf(row, problem.field), outcome };
      });
  }, [plan, ledger]);
  if (problems.length === 0) return null;
  const page = Math.min(asked, Math.ceil(problems.length / PER_PAGE));
  return (
    <Stack gap="md" component="section">
      <Title order={3}>Problems</Title>
      <Rows
        label="Problems"
        columns={COLUMNS}
        rows={problems.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
        keyOf={({ key }) => key}
      />
      <Pager
        meta={{ current_page: page, per_page: PER_PAGE, total: problems.length }}
        onPage={(next) => change({ page: next === 1 ? null : String(next) })}
      />
    </Stack>
  );
}
