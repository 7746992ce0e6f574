import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { retriesChange } from '../queries.ts';
import { isPassing, isUnexecuted } from '../request.ts';

/**
 * A change that a person makes. Sends it again by itself only if that cannot execute it twice: always after a 429, and
 * with an `Idempotency-Key` also after a lost connection.
 *
 * @param change Sends the change. The key is the same as long as the input is.
 * @param options.isIdempotent Whether it sends the key.
 */
export function useChange<Input, Output>(
  change: (input: Input, idempotencyKey: string) => Promise<Output>,
  { isIdempotent = false } = {},
) {
  const sent = useRef({ input: '', key: '' });
  return useMutation<Output, Error, Input>({
    mutationFn: (input) => {
      const text = JSON.stringify(input);
      if (sent.current.input !== text) sent.current = { input: text, key: crypto.randomUUID() };
      return change(input, sent.current.key);
    },
    retry: retriesChange(isIdempotent ? isPassing : isUnexecuted),
    // Also while the browser believes to be offline, so that a person sees that it is waiting.
    networkMode: 'always',
  });
}
