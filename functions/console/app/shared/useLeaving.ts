import { type RefObject, useEffect, useRef } from 'react';

/** Aborts when a person leaves what is shown, for work whose result would be of no use then. */
export function useLeaving(): RefObject<AbortController> {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  return leaving;
}
