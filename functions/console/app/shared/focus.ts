import { useEffect } from 'react';

/** Gives the focus back to where it was when a dialog opened or, if that is gone, to the view. */
export function useReturnedFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // After the dialog is gone.
      setTimeout(() => {
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
        (isThere ? before : document.getElementById('content'))?.focus();
      });
    };
  }, []);
}
