import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { cellOf, type Row } from '../../bulk/importRow.ts';
import { type Faulty, faultyCells } from '../../bulk/mend.ts';
import type { CellProblem, Difference, Plan } from '../../bulk/planImport.ts';
import { fieldError } from '../../fields/fieldErrors.ts';
import { isField, TERMINAL } from '../../fields/fields.ts';
import type { Lists } from '../../fields/listed.ts';
import { typedText, typingOf } from '../../fields/useFields.ts';
import { Pager } from '../../resources/ListPages.tsx';
import { formatNumber } from '../../shared/format.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { detailOf, fieldName, lookalikes, nearest } from './cells.ts';

const PER_PAGE = 50;

/** Cells as a row of a list. */
interface Listed {
  key: string;
  lines: number[];
  row: Row;
  field: string;
  /** What the cell has, and what is wrong with it. */
  value: ReactNode;
  detail: ReactNode;
}

const COLUMNS: Column<Listed>[] = [
  {
    name: 'Line',
    width: '8rem',
    narrow: 'first',
    cell: ({ lines: [line = 0, ...others] }) => (
      <>
        <Text inherit fw={600}>
          Line {formatNumber(line)}
        </Text>
        {others.length > 0 && <Text size="sm">and {formatNumber(others.length)} more</Text>}
      </>
    ),
  },
  {
    name: 'Cell',
    narrow: 'second',
    cell: ({ row, field, value, detail }) => {
      const id = field in row.terminal ? row.terminal.terminal_id : row.mid;
      return (
        <Group gap="2px 1rem" align="flex-start">
          <div className="grows">
            <Text inherit c="dimmed" className="wraps">
              {id && `${id} · `}
              {fieldName(field)}
            </Text>
            {value}
          </div>
          {detail && (
            <Text component="div" inherit className="grows wraps">
              {detail}
            </Text>
          )}
        </Group>
      );
    },
  },
];

/** A list with a title and pages, of which each makes only its own rows. */
function Listing<Item>({
  title,
  items,
  listedOf,
  children,
}: {
  title: string;
  items: Item[];
  listedOf: (item: Item) => Listed;
  children?: ReactNode;
}) {
  const [asked, setAsked] = useState(1);
  if (items.length === 0) return null;
  const page = Math.min(asked, Math.ceil(items.length / PER_PAGE));
  return (
    <Stack gap="md" component="section">
      <Title order={3}>{title}</Title>
      {children}
      <Rows
        label={title}
        columns={COLUMNS}
        rows={items.slice((page - 1) * PER_PAGE, page * PER_PAGE).map(listedOf)}
        keyOf={({ key }) => key}
      />
      <Pager meta={{ current_page: page, per_page: PER_PAGE, total: items.length }} onPage={setAsked} />
    </Stack>
  );
}

const Value = ({ children }: { children: string }) => (
  <Text inherit lineClamp={4} className="wraps">
    <Verbatim>{children}</Verbatim>
  </Text>
);

/** Cells of a file by line: what is wrong in each, or what it changes. */
export function Cells({ title, plan, cells }: { title: string; plan: Plan; cells: (CellProblem | Difference)[] }) {
  const rows = useMemo(() => new Map(plan.rows.map((row) => [row.line, row])), [plan]);
  const items = useMemo(
    () => cells.toSorted((one, other) => one.line - other.line).map((cell, at) => ({ key: `${at}`, cell })),
    [cells],
  );
  const listedOf = ({ key, cell }: (typeof items)[number]): Listed => {
    const row = rows.get(cell.line) as Row;
    const value = cellOf(row, cell.field) ?? 'Empty';
    return {
      key,
      lines: [cell.line],
      row,
      field: cell.field,
      value: <Value>{'code' in cell ? value : `${cell.value ?? 'None'} → ${value}`}</Value>,
      detail: 'code' in cell ? detailOf(cell, value) : lookalikes(value, cell.value).trim(),
    };
  };
  return <Listing title={title} items={items} listedOf={listedOf} />;
}

interface Correcting {
  lists: Lists;
  /** What was typed, by the key of the cells. */
  corrections: Readonly<Record<string, string>>;
  /** `undefined` is what the cells have. */
  onCorrect: (key: string, text: string | undefined) => void;
}

/** Where a text of cells is typed anew. */
function Correction({ faulty, corrections, onCorrect }: { faulty: Faulty } & Omit<Correcting, 'lists'>) {
  const { key, row, lines, problem } = faulty;
  const { field } = problem;
  const before = cellOf(row, field) ?? '';
  const text = corrections[key];
  return (
    <TextInput
      {...typingOf(field)}
      aria-label={`${fieldName(field)} in line ${formatNumber(lines[0] ?? 0)}`}
      placeholder="Empty"
      value={text ?? before}
      error={text !== undefined && fieldError(field in TERMINAL ? 'terminal' : 'createBranch', field, text)}
      onChange={(event) => {
        const typed = typedText(field, event);
        onCorrect(key, typed === before ? undefined : typed);
      }}
    />
  );
}

/** The cells with problems. Each is corrected where it is said, for all rows that have the same. */
export function Problems({ plan, cells, ...correcting }: Correcting & { plan: Plan; cells: CellProblem[] }) {
  const { lists, onCorrect } = correcting;
  const faulty = useMemo(() => faultyCells(plan, cells), [plan, cells]);
  const near = useMemo(() => nearest(lists), [lists]);
  const listedOf = (each: Faulty): Listed => {
    const { key, problem, row, lines } = each;
    const { field } = problem;
    const value = cellOf(row, field);
    const names = near(problem, value);
    // What another row or the service has is nearest.
    const offered = 'value' in problem && problem.value ? [problem.value] : names;
    return {
      key,
      lines,
      row,
      field,
      value: isField(field) ? <Correction faulty={each} {...correcting} /> : <Value>{value ?? 'Empty'}</Value>,
      detail: (
        <>
          {detailOf(problem, value ?? 'Empty', names)}
          <Group gap="xs" mt={4}>
            {offered.map((name) => (
              <Button key={name} size="compact-sm" variant="default" onClick={() => onCorrect(key, name)}>
                <span>
                  Use <Verbatim>{name}</Verbatim>
                </span>
              </Button>
            ))}
          </Group>
        </>
      ),
    };
  };
  return (
    <Listing title="Problems" items={faulty} listedOf={listedOf}>
      <Text c="dimmed">Correct the cells here and check again, or download the rows with problems.</Text>
    </Listing>
  );
}
