import { Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Verbatim } from '../../shared/Verbatim.tsx';
import type { Listing } from './Grid.tsx';

const ITEM_PX = 64;

/** Many things on a phone: two lines each, of which only those in sight are rendered. */
export function PhoneList<Item>({
  label,
  items,
  keyOf,
  hrefOf,
  nameOf,
  end,
  second,
  selection,
}: Listing<Item> & {
  /** The end of the first line, and the second line. */
  end: (item: Item) => ReactNode;
  second?: (item: Item) => string;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ITEM_PX,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (at) => keyOf(items[at] as Item),
  });
  return (
    <ul ref={list} aria-label={label} className="estate-list" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index] as Item;
        return (
          <li
            key={key}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="estate-item"
            style={{ height: ITEM_PX, transform: `translateY(${start - top}px)` }}
          >
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
              <Text span inherit fw={600} className={selection ? 'clipped identifier' : 'clipped'}>
                <Verbatim>{nameOf(item)}</Verbatim>
              </Text>
              {end(item)}
              <Text span size="sm" c="dimmed" className="clipped estate-second">
                {second?.(item)}
              </Text>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
