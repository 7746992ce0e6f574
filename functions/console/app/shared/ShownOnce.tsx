import { Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { PHONE } from './ActionDialog.tsx';
import { useUnsaved } from './draft.ts';
import { texts } from './texts.ts';

/** A value to copy. */
export interface Shown {
  label: string;
  text: string;
}

/** Shows what is never shown again. It closes only by its button, because closing it by accident loses the value. */
export function ShownOnce({
  title,
  values,
  done,
  onClose,
  children,
}: {
  title: string;
  values: Shown[];
  /** The label of the button that closes it. */
  done: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const isPhone = useMediaQuery(PHONE);
  useUnsaved(true);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      fullScreen={isPhone}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="lg">
        {children}
        {values.map(({ label, text }, at) => (
          <Stack key={label} gap="xs">
            <Group justify="space-between" gap="sm">
              <Text fw={600}>{label}</Text>
              <CopyButton value={text}>
                {({ copied, copy }) => (
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
                    onClick={copy}
                    aria-label={`${copied ? texts.copied : texts.copy}: ${label}`}
                    {...(at === 0 && { 'data-autofocus': true })}
                  >
                    {copied ? texts.copied : texts.copy}
                  </Button>
                )}
              </CopyButton>
            </Group>
            <code className="shown">{text}</code>
          </Stack>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
