import { Alert, Anchor, CloseButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Waiting } from '../../api/patience.ts';
import { lookUpTerminals } from '../../bulk/lookUpTerminals.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import type { Pasted } from '../../estate/pasted.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { shownError } from '../../jobs/job.ts';
import { nameOf } from '../../resources/data.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { paths } from '../../resources/paths.ts';
import { ScanButton } from '../../search/ScanButton.tsx';
import { useActing } from '../../session/session.ts';
import { CopyText, Id } from '../../shared/Copy.tsx';
import { formatDay, formatNumber } from '../../shared/format.ts';
import { withoutSigns } from '../../shared/scanned.ts';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { MOST_SELECTED } from './useSelection.ts';

export function PasteDialog({
  find,
  onFound,
  onClose,
}: {
  find: (text: string) => Promise<Pasted>;
  onFound: (pasted: Pasted) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [isTried, setIsTried] = useState(false);
  const [finding, setFinding] = useState<{ isPending: boolean; error: Error | null }>({
    isPending: false,
    error: null,
  });
  const submit = async () => {
    setFinding({ isPending: true, error: null });
    try {
      const pasted = await find(text);
      setFinding({ isPending: false, error: null });
      setIsTried(true);
      if (pasted.count === 0) return;
      onFound(pasted);
      onClose();
    } catch (error) {
      setFinding({ isPending: false, error: shownError(error) });
    }
  };
  return (
    <ActionDialog
      title="Select from a list"
      submit="Select"
      isPending={finding.isPending}
      error={finding.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <ScanButton isMany onScan={(codes) => setText([text.trimEnd(), ...codes].join('\n').trimStart())} />
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

/** What became of serial numbers and IDs that no terminal has: those that were released, and what is not known. */
function Missing({ missing }: { missing: string[] }) {
  const { api, acquirer } = useActing();
  const [done, setDone] = useState(0);
  const [waiting, setWaiting] = useState<Waiting>();
  const { data, error, refetch } = useQuery({
    queryKey: [acquirer.id, 'serials', missing],
    queryFn: ({ signal }) =>
      lookUpTerminals(api, missing.map(withoutSigns), {
        signal,
        onProgress: ({ size }) => setDone(size),
        onWaiting: setWaiting,
      }),
    networkMode: 'always',
    staleTime: 'static',
    retry: false,
  });
  if (error) return <ProblemNotice error={shownError(error)} onRetry={refetch} />;
  if (!data)
    return (
      <Doing
        label="Look up what was not found"
        done={done}
        total={missing.length}
        job={{ waiting, stop: undefined, isStopping: false }}
      >
        Looking up where {formatNumber(missing.length)} others went: {formatNumber(done)} done.
      </Doing>
    );
  const holders = missing.map((serial) => ({ serial, holder: data.get(withoutSigns(serial)) }));
  const unknown = holders.filter(({ holder }) => !holder).map(({ serial }) => serial);
  return (
    <div className="scrolls" style={{ maxBlockSize: 160 }}>
      {unknown.length > 0 && (
        <Text className="wraps">
          Not found: <Verbatim>{unknown.join(', ')}</Verbatim>{' '}
          <CopyText text={unknown.join('\n')} label="Copy what was not found" />
        </Text>
      )}
      {holders.map(
        ({ serial, holder }) =>
          holder && (
            <Text key={serial} className="wraps">
              <Id text={serial} />
              {holder.until ? `: until ${formatDay(holder.until)} in terminal ` : ': in terminal '}
              <Anchor component={Link} href={paths.terminal(holder.tid)} inherit>
                <Verbatim>{holder.terminal_id}</Verbatim>
              </Anchor>
              {holder.found && (
                <>
                  , which is at <Verbatim>{nameOf(holder.found.branch)}</Verbatim>
                </>
              )}
            </Text>
          ),
      )}
    </div>
  );
}

export function PastedNotice({ of: { count, missing, words, beyond }, onClose }: { of: Pasted; onClose: () => void }) {
  return (
    <Alert color={missing.length === 0 ? 'gray' : 'yellow'} role="none">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Stack gap="xs" className="grows">
          <Text fw={600} role="status">
            {formatNumber(count - missing.length)} of {formatNumber(count)} from a list
          </Text>
          {beyond > 0 && (
            <Text>
              {formatNumber(beyond)} more were left out: at most {formatNumber(MOST_SELECTED)} can be selected at once.
            </Text>
          )}
          {words.length > 0 && (
            <Text className="wraps" lineClamp={2}>
              Left out, because they have no digit: <Verbatim>{words.join(', ')}</Verbatim>
            </Text>
          )}
          {missing.length > 0 && <Missing missing={missing} />}
        </Stack>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
    </Alert>
  );
}
