import { Affix, Button, CloseButton, Group, Paper, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isProblem } from '../api/request.ts';
import { observed } from '../shared/observed.ts';
import { useChange } from './useChange.ts';

/** A change in words, and the request that undoes it. */
export interface Undoable {
  text: string;
  undo: (idempotencyKey: string) => Promise<unknown>;
}

/** How long a change can be undone. The time starts again once the notice loses pointer or focus. */
const SHOWN_MS = 10_000;

const made = observed<(Undoable & { id: string }) | undefined>(undefined);

/** Offers to undo a change, in place of an earlier one. */
export const offerUndo = (change: Undoable): void => made.set({ ...change, id: crypto.randomUUID() });

const close = () => made.set(undefined);

/** Says why nothing was undone. A change that somebody else made since is kept. */
function failureOf(error: Error): string {
  return isProblem(error, 'precondition_failed')
    ? 'Nothing was undone: somebody changed it meanwhile.'
    : `It could not be undone. ${error.message}`;
}

function Offer({ text, undo }: Undoable) {
  const [isHeld, setIsHeld] = useState(false);
  const { mutate, status, error } = useChange((_: null, key) => undo(key));
  const isOffered = status === 'idle';
  const hold = () => setIsHeld(true);
  const release = () => setIsHeld(false);
  // The focused button is removed then, which fires no blur event.
  const send = () => isOffered && mutate(null, { onSettled: release });
  useHotkeys([['mod+Z', send]]);
  useEffect(() => {
    if (isHeld || status === 'pending') return undefined;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, status]);
  return (
    <Paper shadow="md" px="lg" py="sm" onMouseEnter={hold} onMouseLeave={release} onFocus={hold} onBlur={release}>
      <Group gap="md" wrap="nowrap">
        <Text className="wraps" role="status">
          {error ? failureOf(error) : status === 'success' ? 'It was undone.' : text}
        </Text>
        {(isOffered || status === 'pending') && (
          <Button size="xs" variant="default" loading={!isOffered} onClick={send}>
            Undo
          </Button>
        )}
        <CloseButton aria-label="Close" onClick={close} />
      </Group>
    </Paper>
  );
}

/** The notice of the last change. Its button, or Ctrl Z, undoes the change. */
export function Undo() {
  const change = made.use((last) => last);
  useEffect(() => close, []);
  return (
    <Affix position={{ bottom: 16, left: 16, right: 16 }} className="undo">
      {change && <Offer key={change.id} {...change} />}
    </Affix>
  );
}
