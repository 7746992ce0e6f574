import { useCallback, useState } from 'react';
import type { Listed } from '../../estate/questions.ts';
import type { Items } from './Grid.tsx';

/** What is read at a time, as of `FIRST`, and how far from its ends the next part is read. */
const PART = 100;
const NEAR = 25;
/** Browsers show no page that is much higher: Firefox ends at 17,895,697 px, and a terminal on a phone takes 88. */
const MOST_LISTED = 200_000;

/** The part of a list to read: what is in sight, with some more around it. */
export function useSight() {
  const [part, setPart] = useState({ from: 0, to: PART });
  const onSight = useCallback((first: number, last: number) => {
    const from = PART * Math.floor(Math.max(0, first - NEAR) / PART);
    const to = PART * Math.ceil((last + NEAR) / PART);
    setPart((known) => (known.from === from && known.to === to ? known : { from, to }));
  }, []);
  return { part, onSight };
}

/** A list of which a part is read. */
export function itemsOf<Item>(listed: Listed<Item> | undefined): Items<Item> {
  const { total = 0, from = 0, rows = [] } = listed ?? {};
  return { length: Math.min(total, MOST_LISTED), at: (index) => rows[index - from] };
}
