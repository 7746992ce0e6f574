import { useWindowEvent } from '@mantine/hooks';
import { useLayoutEffect, useRef } from 'react';

/**
 * Begins a view that is opened at its top, with the keyboard and screen readers at its heading (PageTitle) unless one
 * of its fields has the focus. A view to which a person goes back is as they left it.
 */
export function useOpenedView(path: string): void {
  const shown = useRef(path);
  const goneBackTo = useRef('');
  // Before the router hears of it.
  useWindowEvent('popstate', () => (goneBackTo.current = window.location.pathname), { capture: true });
  useLayoutEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const isBack = goneBackTo.current === window.location.pathname;
    goneBackTo.current = '';
    if (isBack) return;
    scrollTo(0, 0);
    if (!document.activeElement?.matches('input, textarea, select'))
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}
