import { Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { keyAt, type Listing, ROW_PX, useTold } from './Grid.tsx';

/** How high most things are. One whose texts need more lines is higher. */
const ITEM_PX = 88;

/** Many things on a phone, of which only those in sight are rendered. */
export function PhoneList<Item>({
  label,
  items,
  keyOf,
  hrefOf,
  nameOf,
  name = (item) => <Verbatim>{nameOf(item)}</Verbatim>,
  end,
  more,
  selection,
  onSight,
}: Listing<Item> & {
  name?: (item: Item) => ReactNode;
  /** The end of the first line, and the lines below. */
  end: (item: Item) => ReactNode;
  more?: (item: Item) => ReactNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const assumed = more ? ITEM_PX : ROW_PX;
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => assumed,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (at) => keyAt(items, keyOf, at),
  });
  useTold(virtual.range, onSight);
  const contentOf = (item: Item, index: number) => (
    <>
      {selection && (
        <label className="estate-touch">
          <input
            type="checkbox"
            aria-label={`Select ${nameOf(item)}`}
            checked={selection.has(keyOf(item))}
            onChange={() => selection.select(index, { isRange: false })}
          />
        </label>
      )}
      <Link href={hrefOf(item)} className="estate-to">
        <Text span inherit fw={600}>
          {name(item)}
        </Text>
        <Text span size="sm" c="dimmed">
          {end(item)}
        </Text>
        {more && (
          <Text span size="sm" c="dimmed" className="estate-more">
            {more(item)}
          </Text>
        )}
      </Link>
    </>
  );
  return (
    <ul ref={list} aria-label={label} className="estate-list" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const item = items.at(index);
        return (
          <li
            key={key}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="estate-item"
            // What is not read yet has the height that is assumed.
            ref={item && virtual.measureElement}
            data-index={index}
            style={{ transform: `translateY(${start - top}px)`, ...(!item && { height: assumed }) }}
          >
            {item !== undefined && contentOf(item, index)}
          </li>
        );
      })}
    </ul>
  );
}
