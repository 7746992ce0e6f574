import { Alert, CloseButton, Group, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import type { Row } from '../../estate/useEstate.ts';
import { CopyText } from '../../shared/Copy.tsx';
import { formatNumber } from '../../shared/format.ts';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { findPasted, type Pasted } from './pasted.ts';
import { MOST_SELECTED } from './useSelection.ts';

export function PasteDialog({
  rows,
  onFound,
  onClose,
}: {
  rows: readonly Row[];
  onFound: (pasted: Pasted) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [isTried, setIsTried] = useState(false);
  const submit = () => {
    setIsTried(true);
    const pasted = findPasted(text, rows);
    if (pasted.count === 0) return;
    onFound(pasted);
    onClose();
  };
  return (
    <ActionDialog
      title="Select from a list"
      submit="Select"
      isPending={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Serial numbers or terminal IDs"
        description={`Paste a column of a spreadsheet, or type one a line: at most ${formatNumber(MOST_SELECTED)}.`}
        value={text}
        error={isTried && 'Paste at least one serial number or terminal ID.'}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIsTried(false);
        }}
        rows={10}
        className="identifiers"
        data-autofocus
      />
    </ActionDialog>
  );
}

export function PastedNotice({ of: { count, missing, beyond }, onClose }: { of: Pasted; onClose: () => void }) {
  const isAll = missing.length === 0;
  return (
    <Alert color={isAll ? 'gray' : 'yellow'} role="status">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <div className="grows">
          <Text fw={600}>
            {formatNumber(count - missing.length)} of {formatNumber(count)} from a list
          </Text>
          {beyond > 0 && (
            <Text>
              {formatNumber(beyond)} more were left out: at most {formatNumber(MOST_SELECTED)} can be selected at once.
            </Text>
          )}
          {!isAll && (
            <Text className="wraps scrolls" mah={120}>
              Not found: <Verbatim>{missing.join(', ')}</Verbatim>{' '}
              <CopyText text={missing.join('\n')} label="Copy what was not found" />
            </Text>
          )}
        </div>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
    </Alert>
  );
}
