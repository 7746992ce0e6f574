import { useEffect } from 'react';

/**
 * Gives the focus back to where it was when a dialog opened or, if that is gone, to the view; unless something that was
 * shown meanwhile has it, such as another dialog.
 */
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
