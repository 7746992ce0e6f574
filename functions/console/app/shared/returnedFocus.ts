import { useEffect } from 'react';

/** Gives the focus back to where it was or, if that is gone, to the view; unless another dialog has it meanwhile. */
export function useReturnedFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // After the dialog is gone.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
        (isThere ? before : document.getElementById('content'))?.focus();
      });
    };
  }, []);
}
