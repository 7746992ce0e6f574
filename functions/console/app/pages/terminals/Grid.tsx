import { UnstyledButton } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';

/** As high as what is touched must be. A row whose texts need more lines is higher. */
export const ROW_PX = 44;
const HEAD_PX = 36;
const CHECK_PX = 44;
/** What is at both sides of the text of a cell: style.css. */
const CELL_PX = 24;

export interface GridColumn<Item> {
  key: string;
  label: string;
  cell: (item: Item) => ReactNode;
  /** How wide it is at least, in characters of an identifier, and how it shares what is left. */
  width: [least: number, share: number];
  align?: 'end';
  /** For a column by which rows can be sorted. */
  sort?: { is: 'ascending' | 'descending' | 'none'; onSort: () => void };
}

/** Which rows are selected. A range is from the last one that was selected by itself. */
export interface Selection {
  has: (key: string) => boolean;
  select: (at: number, how: { isRange: boolean }) => Promise<void>;
  selectAll: () => Promise<void>;
}

/** Things in their order, of which those that are not read yet are `undefined`. */
export interface Items<Item> {
  length: number;
  at: (index: number) => Item | undefined;
}

/** A thing keeps what the browser knows of its row also at another place. One that is not read yet has its place. */
export const keyAt = <Item,>(items: Items<Item>, keyOf: (item: Item) => string, at: number): string | number => {
  const item = items.at(at);
  return item === undefined ? at : keyOf(item);
};

/** Tells which rows are in sight. */
export function useTold(range: { startIndex: number; endIndex: number } | null, onSight: Listing<never>['onSight']) {
  const { startIndex = 0, endIndex = 0 } = range ?? {};
  useEffect(() => onSight?.(startIndex, endIndex), [startIndex, endIndex, onSight]);
}

/** What a table or a list shows, and where each item leads. */
export interface Listing<Item> {
  label: string;
  items: Items<Item>;
  /** Which of them are in sight, from one place to another. */
  onSight?: (first: number, last: number) => void;
  keyOf: (item: Item) => string;
  hrefOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  selection?: Selection;
}

/** Dragging over the text of a link selects it, as any text, and opens nothing. */
const keepSelected = (event: MouseEvent) => {
  if (getSelection()?.type === 'Range') event.preventDefault();
};

/** Where each grid was left, by address, so that a person who comes back finds it so. */
const places = new Map<string, { offset: number; active: number }>();

/**
 * Many rows in a table of which only those in sight are rendered. Arrows, Home, End and Page keys go through them,
 * Enter opens one, Space selects it, and Shift with them selects a range.
 */
export function Grid<Item>({
  label,
  columns,
  items,
  keyOf,
  hrefOf,
  nameOf,
  selection,
  onSight,
}: Listing<Item> & { columns: GridColumn<Item>[] }) {
  const id = useId();
  const [, navigate] = useLocation();
  const scroller = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const [address] = useState(location.href);
  const place = useRef(places.get(address) ?? { offset: 0, active: 0 });
  const [wanted, setActive] = useState(place.current.active);
  const active = Math.max(0, Math.min(wanted, items.length - 1));
  const activeItem = items.at(active);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    initialOffset: place.current.offset,
    scrollPaddingStart: HEAD_PX,
    getItemKey: (at) => keyAt(items, keyOf, at),
    // The active row exists also where it is out of sight, for `aria-activedescendant`.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), active])].filter((at) => at < range.count).sort((a, b) => a - b),
  });
  useTold(virtual.range, onSight);
  useEffect(() => {
    const now = place.current;
    now.active = active;
    places.set(address, now);
  }, [address, active]);
  const first = selection ? 2 : 1;
  const check = selection ? CHECK_PX : 0;
  const widths = columns.map(({ width }) => width);
  const tracks = widths.map(([least, share]) => `minmax(calc(${least}ch + ${CELL_PX}px), ${share}fr)`);
  const grid = { gridTemplateColumns: `${check ? `${check}px ` : ''}${tracks.join(' ')}` };
  const least = widths.reduce((sum, [each]) => sum + each, 0);
  const minWidth = `calc(${least}ch + ${check + CELL_PX * columns.length}px)`;

  const go = (at: number, { isRange = false } = {}) => {
    const to = Math.max(0, Math.min(at, items.length - 1));
    setActive(to);
    virtual.scrollToIndex(to);
    if (isRange) selection?.select(to, { isRange });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey: isRange, target } = event;
    if ((target as HTMLElement).closest('thead') || items.length === 0) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const isMod = event.ctrlKey || event.metaKey;
    const actions: Record<string, () => void> = {
      ArrowDown: () => go(active + 1, { isRange }),
      ArrowUp: () => go(active - 1, { isRange }),
      PageDown: () => go(active + page, { isRange }),
      PageUp: () => go(active - page, { isRange }),
      Home: () => go(0, { isRange }),
      End: () => go(items.length - 1, { isRange }),
      Enter: () => activeItem !== undefined && navigate(hrefOf(activeItem)),
      ' ': () => selection?.select(active, { isRange }),
    };
    const action = isMod && key === 'a' ? selection?.selectAll : isMod ? undefined : actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const onCheck = (at: number) => (event: MouseEvent) => {
    setActive(at);
    // A row that is scrolled out of sight would take the focus away with it.
    table.current?.focus({ preventScroll: true });
    selection?.select(at, { isRange: event.shiftKey });
  };

  const cellsOf = (item: Item, index: number) => (
    <>
      {selection && (
        <td aria-colindex={1} className="estate-check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${nameOf(item)}`}
            checked={selection.has(keyOf(item))}
            onClick={onCheck(index)}
            readOnly
          />
        </td>
      )}
      {columns.map(({ key, cell, align }, at) =>
        at === 0 ? (
          <td key={key} aria-colindex={first} data-align={align} style={{ insetInlineStart: check }}>
            <Link href={hrefOf(item)} className="estate-open" tabIndex={-1} draggable={false} onClick={keepSelected}>
              <bdi>{cell(item)}</bdi>
            </Link>
          </td>
        ) : (
          <td key={key} aria-colindex={at + first} data-align={align}>
            <bdi>{cell(item)}</bdi>
          </td>
        ),
      )}
    </>
  );

  return (
    <div
      ref={scroller}
      className="estate"
      onScroll={({ currentTarget }) => {
        place.current.offset = currentTarget.scrollTop;
      }}
    >
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA allows it for a table that keys go through
        role="grid"
        aria-label={label}
        aria-rowcount={items.length + 1}
        aria-colcount={columns.length + first - 1}
        aria-multiselectable={selection !== undefined}
        aria-activedescendant={items.length > 0 ? `${id}-${active}` : undefined}
        tabIndex={0}
        style={{ minWidth }}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1} style={grid}>
            {selection && <td aria-colindex={1} className="estate-check" />}
            {columns.map(({ key, label: name, align, sort }, at) => (
              <th
                key={key}
                scope="col"
                aria-colindex={at + first}
                aria-sort={sort?.is}
                data-align={align}
                style={at === 0 ? { insetInlineStart: check } : undefined}
              >
                {sort ? (
                  <UnstyledButton className="estate-sort" onClick={sort.onSort}>
                    {name}
                    {sort.is === 'ascending' && <ArrowUp size={14} />}
                    {sort.is === 'descending' && <ArrowDown size={14} />}
                  </UnstyledButton>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const item = items.at(index);
            return (
              <tr
                key={key}
                id={`${id}-${index}`}
                // What is not read yet has the height that is assumed.
                ref={item && virtual.measureElement}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={item && selection?.has(keyOf(item))}
                aria-busy={item === undefined || undefined}
                data-active={index === active || undefined}
                style={{ ...grid, minHeight: ROW_PX, transform: `translateY(${start}px)` }}
              >
                {item !== undefined && cellsOf(item, index)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
