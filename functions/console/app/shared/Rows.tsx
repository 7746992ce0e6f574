import { Skeleton, Table, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { formatMinute } from './format.ts';
import { RowMenu } from './RowMenu.tsx';
import { Time } from './Time.tsx';
import { Verbatim } from './Verbatim.tsx';

export interface Column<Row> {
  name: string;
  width?: string;
  /**
   * Where it is on a narrow screen: a place on its two lines, `below` them, or nowhere. `spare` needs a wide one.
   */
  narrow: 'first' | 'end' | 'second' | 'below' | 'hidden' | 'spare';
  /** A string is a value, which is shown as it is. Words are in an element. */
  cell: (row: Row) => ReactNode;
}

/** A time, with the name of its column where a row is two lines. */
export const ColumnTime = ({ name, at }: { name: string; at: string }) => (
  <>
    <span className="rows-label">{name}</span>
    <Time at={at} />
  </>
);

/** The same, exact: where people want to know when, not how long ago. */
export const ColumnMinute = ({ name, at }: { name: string; at: string }) => (
  <>
    <span className="rows-label">{name}</span>
    <time dateTime={at}>{formatMinute(at)}</time>
  </>
);

/** The column of what can be done with a row. */
export const actionsColumn = <Row,>(
  nameOf: (row: Row) => string,
  actionsOf: (row: Row) => ComponentProps<typeof RowMenu>['actions'],
): Column<Row> => ({
  name: 'Actions',
  width: '9%',
  narrow: 'end',
  cell: (row) => {
    const actions = actionsOf(row);
    return actions.length > 0 && <RowMenu label={`Actions for ${nameOf(row)}`} actions={actions} />;
  },
});

const OUTLINED = 8;

const shown = (cell: ReactNode): ReactNode =>
  typeof cell === 'string' ? (
    <Text span inherit lineClamp={3} className="wraps">
      <Verbatim>{cell}</Verbatim>
    </Text>
  ) : (
    cell
  );

/** A list: a table, and lines on a narrow screen. Without `rows`, it is the outline of one that is being read. */
export function Rows<Row>({
  label,
  columns,
  rows,
  keyOf,
  hrefOf,
  isOutdated = false,
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  keyOf: (row: Row) => string;
  hrefOf?: (row: Row) => string;
  isOutdated?: boolean;
}) {
  const line = (key: string | number, cell: (column: Column<Row>, at: number) => ReactNode) => (
    <Table.Tr key={key}>
      {columns.map((column, at) => (
        <Table.Td key={column.name} className={`rows-${column.narrow}`}>
          {cell(column, at)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
  return (
    <div className="rows" data-outdated={isOutdated || undefined}>
      <Table
        layout="fixed"
        verticalSpacing="md"
        aria-label={label}
        highlightOnHover={rows !== undefined && hrefOf !== undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, width, narrow }) => (
              <Table.Th key={name} w={width} className={`rows-${narrow}`}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows
            ? rows.map((row) =>
                line(keyOf(row), ({ cell }, at) =>
                  at === 0 && hrefOf ? (
                    <Link href={hrefOf(row)} className="rows-link">
                      {shown(cell(row))}
                    </Link>
                  ) : (
                    shown(cell(row))
                  ),
                ),
              )
            : Array.from({ length: OUTLINED }, (_, at) => line(at, () => <Skeleton height={20} width="80%" />))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
