import { Button, CloseButton, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDidUpdate, useWindowEvent } from '@mantine/hooks';
import { ClipboardList, Search } from 'lucide-react';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Format } from '../../bulk/export.ts';
import { countFacets, filterRows } from '../../estate/filterRows.ts';
import { type Row, useBranchName, useEstate } from '../../estate/useEstate.ts';
import { terminalsText } from '../../fields/wording.ts';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { shownError } from '../../jobs/job.ts';
import { Nothing } from '../../resources/ListPages.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { ownValue, useDialog } from '../../shared/address.ts';
import { formatNumber } from '../../shared/format.ts';
import { useKeys } from '../../shared/hotkeys.ts';
import { useIsNarrow } from '../../shared/narrow.ts';
import { fileName } from '../../shared/save.ts';
import { useNow } from '../../shared/Time.tsx';
import { ACTIONS, type Action, ChangeDialog } from './ChangeDialog.tsx';
import { ColumnsMenu } from './ColumnsMenu.tsx';
import { useColumns } from './columns.tsx';
import { criteriaText, useCriteria } from './criteria.ts';
import { Empty } from './Empty.tsx';
import { FilterBar, type Filtering, FilterSheet, GroupSelect } from './Filters.tsx';
import { Groups } from './Groups.tsx';
import { LastChange } from './LastChange.tsx';
import { Printed, saveRows } from './output.tsx';
import { PasteDialog, PastedNotice } from './PasteDialog.tsx';
import type { Pasted } from './pasted.ts';
import { Rows } from './Rows.tsx';
import { PrintItems, SelectionBar } from './SelectionBar.tsx';
import { useSelection } from './useSelection.ts';

const PAUSE_MS = 300;

/** A text that filters as it is typed. The address has it once the person pauses. */
function useText(q: string, search: (q: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(q);
  const later = useDebouncedCallback(search, PAUSE_MS);
  // The address wins, as when the person goes back. What is typed stays if the address only lacks its spaces.
  useDidUpdate(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  const type = (typed: string) => {
    setText(typed);
    later(typed.trim());
  };
  return [text, type];
}

/** The way to more terminals than the table holds. */
function TooLarge() {
  const { acquirer } = useActing();
  const { start, isRunning, notice } = useExport('terminals');
  return (
    <>
      <PageTitle
        title="Terminals"
        actions={
          <ExportButton
            isDisabled={isRunning}
            onExport={(format) => start({ what: 'terminals', format }, fileName(format, 'terminals', acquirer.name))}
          />
        }
      />
      {notice}
      <Nothing
        title="You have more than 50,000 terminals or branches"
        detail={
          'That is more than this view holds. Find a terminal by its ID, its serial number or words ' +
          'of its branch in the box above, or open its branch, which lists its terminals.'
        }
      >
        <Button component={Link} href="/branches">
          See the branches
        </Button>
      </Nothing>
    </>
  );
}

/** All terminals of the acquirer, in a table that filters and sorts them at once. */
export default function Terminals() {
  const { acquirer } = useActing();
  const { rows, state, isKept } = useEstate();
  const now = useNow();
  const isNarrow = useIsNarrow();
  const address = useCriteria();
  const [text, setText] = useText(address.criteria.text, address.search);
  const typed = useDeferredValue(text);
  const criteria = useMemo(() => ({ ...address.criteria, text: typed }), [address.criteria, typed]);
  const counts = useMemo(() => countFacets(rows, criteria, now), [rows, criteria, now]);
  const matching = useMemo(() => filterRows(rows, criteria, now), [rows, criteria, now]);
  const filtering: Filtering = {
    ...address,
    criteria,
    counts,
    branchName: useBranchName(),
    clear() {
      setText('');
      address.clear();
    },
  };
  const [isOnly, setIsOnly] = useState(false);
  const [pasted, setPasted] = useState<Pasted>();
  const [columns, setColumns] = useColumns();
  const [dialog, open, close] = useDialog();
  const field = useRef<HTMLInputElement>(null);
  useKeys({ f: () => field.current?.focus() });

  const { chosen, selection, set } = useSelection(acquirer.id, rows, matching);
  const isOnlyChosen = isOnly && chosen.length > 0;
  const onlyChosen = useMemo(
    () => (isOnlyChosen ? filterRows(chosen, { ...criteria, text: '', filters: {} }, now) : undefined),
    [isOnlyChosen, chosen, criteria, now],
  );
  const shown = onlyChosen ?? matching;
  const isFiltered = address.isFiltered || typed.trim() !== '';
  const clearSelection = () => {
    set([]);
    setPasted(undefined);
    setIsOnly(false);
  };
  /** Selects the only terminal that matches what is typed, also before it is shown. The next text replaces it. */
  const selectOnly = (input: HTMLInputElement) => {
    const [only, ...others] = filterRows(rows, { ...criteria, text: input.value }, now);
    if (!only || others.length > 0) return;
    set([...chosen, only].map(({ terminal }) => terminal.tid));
    input.select();
  };
  const output = chosen.length > 0 ? chosen : shown;
  const [isSheet, setIsSheet] = useState(false);
  const onSheet = () => setIsSheet(true);
  useWindowEvent('afterprint', () => setIsSheet(false));
  const saveAs = (of: readonly Row[]) => (format: Format) => void saveRows(of, columns, format, acquirer.name);
  const mayChange = useMay('change');
  const action = mayChange && ownValue(ACTIONS, dialog) ? (dialog as Action) : undefined;

  if (state.kind === 'too_large') return <TooLarge />;
  const total = rows.length;
  const isReading = state.kind === 'walking';
  const isWaiting = isReading && total === 0;
  return (
    <>
      <PageTitle
        title="Terminals"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<ClipboardList size={16} />}
              disabled={total === 0}
              onClick={() => open('paste')}
            >
              Select from a list
            </Button>
            <ExportButton isDisabled={shown.length === 0} onExport={saveAs(shown)}>
              <PrintItems onSheet={onSheet} />
            </ExportButton>
          </>
        }
      >
        {total === 0 && state.kind !== 'following'
          ? ' '
          : `${isFiltered ? `${formatNumber(matching.length)} of ` : ''}${terminalsText(total)}. `}
        {!isKept && ' This browser does not store the list, so it is loaded again at each visit.'}
      </PageTitle>
      <Stack gap="md" className="estate-view" aria-busy={state.kind === 'walking'}>
        {state.kind === 'failed' && <ProblemNotice error={shownError(state.error)} onRetry={state.retry} />}
        {state.kind === 'walking' && (
          <Group gap="sm" role="status">
            <Loader size={14} />
            <Text size="sm" c="dimmed">
              Loading: {terminalsText(state.terminals)} so far.{total > 0 && ' You can use them meanwhile.'}
            </Text>
          </Group>
        )}
        <LastChange />
        {pasted && <PastedNotice of={pasted} rows={rows} onClose={() => setPasted(undefined)} />}
        {(total > 0 || isReading) && (
          <>
            <Group gap="sm" wrap="nowrap">
              <TextInput
                ref={field}
                type="search"
                className="grows"
                maw={440}
                aria-label="Filter terminals"
                placeholder="Part of an ID or serial number, or words of a branch"
                value={text}
                leftSection={<Search size={16} />}
                rightSection={text && <CloseButton size="sm" aria-label="Clear the text" onClick={() => setText('')} />}
                onChange={(event) => setText(event.currentTarget.value)}
                onKeyDown={({ key, currentTarget }) => key === 'Enter' && selectOnly(currentTarget)}
              />
              {isNarrow ? (
                <FilterSheet of={filtering} total={matching.length} />
              ) : (
                <Group gap="sm" ml="auto" wrap="nowrap">
                  <GroupSelect of={filtering} />
                  <ColumnsMenu columns={columns} onChange={setColumns} />
                </Group>
              )}
            </Group>
            {!isNarrow && <FilterBar of={filtering} />}
          </>
        )}
        {isWaiting && <Lines count={10} />}
        {!isWaiting && shown.length === 0 && state.kind !== 'failed' && !isReading && (
          <Empty filtering={filtering} isFiltered={isFiltered} />
        )}
        {shown.length > 0 && address.group && !isOnlyChosen && (
          <Groups of={filtering} facet={address.group} isNarrow={isNarrow} />
        )}
        {shown.length > 0 && (!address.group || isOnlyChosen) && (
          <Rows
            all={rows}
            items={shown}
            columns={columns}
            filtering={filtering}
            isNarrow={isNarrow}
            selection={selection}
          />
        )}
        {chosen.length > 0 && (
          <SelectionBar
            count={chosen.length}
            isNarrow={isNarrow}
            all={shown.length}
            onAll={selection.selectAll}
            isOnly={isOnlyChosen}
            onOnly={setIsOnly}
            onAction={open}
            onSave={saveAs(chosen)}
            onSheet={onSheet}
            onClear={clearSelection}
          />
        )}
      </Stack>
      <Printed
        rows={output}
        columns={columns}
        isSheet={isSheet}
        which={chosen.length > 0 ? 'Selected terminals.' : criteriaText(criteria, filtering.branchName)}
      />
      {dialog === 'paste' && (
        <PasteDialog
          rows={rows}
          onClose={close}
          onFound={(found) => {
            setPasted(found);
            set(found.tids);
            setIsOnly(true);
          }}
        />
      )}
      {action && chosen.length > 0 && (
        <ChangeDialog key={action} action={action} rows={chosen} onStarted={clearSelection} onClose={close} />
      )}
    </>
  );
}
