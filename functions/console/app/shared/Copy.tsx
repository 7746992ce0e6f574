import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

/** A button that copies a text. */
export const CopyText = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : label}>
        <ActionIcon size="sm" onClick={copy} aria-label={copied ? 'Copied' : `${label}: ${text}`}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
);

/** An identifier, which wraps anywhere, with a button that copies it. */
export const Identifier = ({ text }: { text: string }) => (
  <Group gap="xs" wrap="nowrap" align="center">
    <Text span className="identifier">
      {text}
    </Text>
    <CopyText text={text} />
  </Group>
);
