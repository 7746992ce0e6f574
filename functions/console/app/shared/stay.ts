import { useEffect, useRef } from 'react';
import type { BaseLocationHook, BaseSearchHook, RouterOptions } from 'wouter';
import { navigate, useBrowserLocation, useSearch } from 'wouter/use-browser-location';
import { observed } from './observed.ts';

interface Address {
  path: string;
  search: string;
}

/** The address at which the views stay while the browser is at another one. */
const stayed = observed<Address | undefined>(undefined);

function useStayed(): Address {
  const address = { path: useBrowserLocation()[0], search: useSearch() };
  return stayed.use((at) => at) ?? address;
}

const useStayedLocation: BaseLocationHook = () => [useStayed().path, navigate];
const useStayedSearch: BaseSearchHook = () => useStayed().search;

/** The router of all views. They follow the address of the browser unless they stay: see {@link useStay}. */
export const ROUTER: RouterOptions = {
  hook: useStayedLocation,
  searchHook: useStayedSearch,
  // What the console itself does, such as closing a dialog, ends it.
  aroundNav(go, to, options) {
    stayed.set(undefined);
    go(to, options);
  },
};

/** What decides, when the browser goes to another address, whether the views stay. */
let decide: (() => void) | undefined;
// Added before the router adds its own, so that it is called first. Windows call their listeners in this order.
addEventListener('popstate', () => decide?.());

/** Lets the views follow the browser to where the person went. */
export const follow = (): void => stayed.set(undefined);

/** Brings the browser back to where the views stayed. */
export function comeBack(): void {
  const at = stayed.get();
  if (at) navigate(at.path + at.search);
  stayed.set(undefined);
}

/**
 * Keeps the views where they are when the person goes back or forward in the browser's history, if that would lose
 * something, and asks them: then {@link follow} or {@link comeBack}. It works in all browsers, however often they go
 * back, because it lets the browser go: no browser lets a page hold it reliably.
 */
export function useStay(wouldLose: () => boolean, ask: () => void): void {
  const shown = useStayed();
  const latest = useRef({ shown, wouldLose, ask });
  latest.current = { shown, wouldLose, ask };
  useEffect(() => {
    decide = () => {
      const { shown, wouldLose, ask } = latest.current;
      const isElsewhere = location.pathname !== shown.path || location.search !== shown.search;
      if (!isElsewhere) return follow();
      if (!wouldLose()) return;
      stayed.set(shown);
      ask();
    };
    return () => {
      decide = undefined;
      follow();
    };
  }, []);
}
