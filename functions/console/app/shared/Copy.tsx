import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

export const CopyText = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : label}>
        <ActionIcon size="sm" className="copy" onClick={copy} aria-label={copied ? 'Copied' : `${label}: ${text}`}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
);

export const Id = ({ text }: { text: string | null }) => text && <span className="identifier">{text}</span>;

export const Identifier = ({ text }: { text: string }) => (
  <Group gap="xs" wrap="nowrap" align="center">
    <Id text={text} />
    <CopyText text={text} />
  </Group>
);
