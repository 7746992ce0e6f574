import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { Copying } from '../shared/Copy.tsx';
import { useUnsaved } from '../shared/draft.ts';
import { observed } from '../shared/observed.ts';
import { useReturnedFocus } from '../shared/returnedFocus.ts';

interface Once {
  title: string;
  about: ReactNode;
  values: { label: string; text: string }[];
  done: string;
}

const waiting = observed<Once[]>([]);

/** Shows what is never shown again, over whichever view is open: leaving the view does not lose it. */
export const showOnce = (once: Once): void => waiting.set([...waiting.get(), once]);

export function ShownOnce() {
  const once = waiting.use(([first]) => first);
  return once && <OnceDialog {...once} />;
}

/** Closes only by its button, because closing it by accident loses the values. */
function OnceDialog({ title, about, values, done }: Once) {
  const close = () => waiting.set(waiting.get().slice(1));
  useUnsaved(true);
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="lg">
        {about}
        {values.map(({ label, text }, at) => (
          <Stack key={label} gap="xs">
            <Group justify="space-between" gap="sm">
              <Text fw={600}>{label}</Text>
              <Copying
                text={text}
                button={({ copied, copy }) => (
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
                    onClick={copy}
                    aria-label={`${copied ? 'Copied' : 'Copy'}: ${label}`}
                    {...(at === 0 && { 'data-autofocus': true })}
                  >
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              />
            </Group>
            <code className="shown" translate="no">
              {text}
            </code>
          </Stack>
        ))}
        <Group justify="flex-end" className="dialog-end">
          <Button onClick={close}>{done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
