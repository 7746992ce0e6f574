import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isRetried } from '../api/queryClient.ts';
import { isUnexecuted } from '../api/request.ts';

/**
 * A change that a person makes. Sends it again by itself only if that cannot execute it twice: always after a 429, and
 * with an `Idempotency-Key` also after a lost connection. Offline, it waits (`isPaused`). Whoever closes the form or
 * leaves the view ends that. After a
 * success, `queryClient` reads again what is shown.
 *
 * @param change Sends the change. The key is the same as long as the input is.
 * @param options.isIdempotent Whether the service executes a key only once, so that a lost response is retried.
 */
export function useChange<Input, Output>(
  change: (input: Input, idempotencyKey: string) => Promise<Output>,
  { isIdempotent = false } = {},
) {
  const sent = useRef({ input: '', key: '' });
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return useMutation<Output, Error, Input>({
    mutationFn: (input) => {
      if (isLeft.current) throw new Error('The person has left the form.');
      const text = JSON.stringify(input);
      if (sent.current.input !== text) sent.current = { input: text, key: crypto.randomUUID() };
      return change(input, sent.current.key);
    },
    retry: (count, error) => !isLeft.current && (isIdempotent || isUnexecuted(error)) && isRetried(count, error),
  });
}
