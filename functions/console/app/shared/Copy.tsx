import { ActionIcon, Group, Popover, Textarea, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

const COPIED_MS = 1_000;

/**
 * A button that copies a text. Where the browser does not let it, it shows the text, selected for the person to copy.
 */
export function Copying({
  text,
  button,
}: {
  text: string;
  button: (is: { copied: boolean; copy: () => void }) => ReactElement;
}) {
  const { copied, error, copy, reset } = useClipboard({ timeout: COPIED_MS });
  return (
    <Popover opened={error !== null} onChange={reset} width={320} shadow="md" withRoles={false} trapFocus returnFocus>
      <Popover.Target>{button({ copied, copy: () => copy(text) })}</Popover.Target>
      <Popover.Dropdown>
        <Textarea
          label="The browser does not let this page copy"
          description="The text is selected: copy it yourself."
          value={text}
          readOnly
          autosize
          maxRows={8}
          onFocus={(event) => event.currentTarget.select()}
          data-autofocus
          // Escape closes this, and no dialog below.
          data-mantine-stop-propagation
        />
      </Popover.Dropdown>
    </Popover>
  );
}

export const CopyText = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <Copying
    text={text}
    button={({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : label}>
        <ActionIcon size="sm" className="copy" onClick={copy} aria-label={copied ? 'Copied' : `${label}: ${text}`}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </ActionIcon>
      </Tooltip>
    )}
  />
);

/** An identifier, which translators leave as it is. Its children may show it in another way, such as with marks. */
export const Id = ({ text, children = text }: { text: string | null; children?: ReactNode }) =>
  text && (
    <span className="identifier" translate="no">
      {children}
    </span>
  );

export const Identifier = ({ text }: { text: string }) => (
  <Group gap="xs" wrap="nowrap" align="center">
    <Id text={text} />
    <CopyText text={text} />
  </Group>
);
