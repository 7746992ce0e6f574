import { Affix, Button, CloseButton, Group, Paper, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isProblem } from '../request.ts';
import { observed } from './observed.ts';
import { useChange } from './useChange.ts';

/** A change that was just made, in words, and the request that takes it back. */
export interface Undoable {
  text: string;
  undo: (idempotencyKey: string) => Promise<unknown>;
}

/** How long a person can take a change back, while the notice of it is not pointed at. */
const SHOWN_MS = 10_000;

const made = observed<(Undoable & { id: string }) | undefined>(undefined);

/** Offers to undo a change, in place of an earlier one. */
export const offerUndo = (change: Undoable): void => made.set({ ...change, id: crypto.randomUUID() });

const close = () => made.set(undefined);

/** What became of it. Whoever has changed the thing meanwhile keeps their change. */
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
  // Then the button is gone, and tells nobody that it has lost the focus.
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

/** The change that was just made, as long as it can be taken back: also by Ctrl-Z. */
export function Undo() {
  const change = made.use((last) => last);
  useEffect(() => close, []);
  return (
    <Affix position={{ bottom: 16, left: 16, right: 16 }} className="undo">
      {change && <Offer key={change.id} {...change} />}
    </Affix>
  );
}
