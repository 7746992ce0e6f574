import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useCallbackRef, useDebouncedValue, useWindowEvent } from '@mantine/hooks';
import { ClipboardList } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Criteria } from '../../../../../docs/client/estate/estate.ts';
import type { Format } from '../../bulk/export.ts';
import { askEstate, FIRST, retryEstate, useAnswer, useBranchNames, useEstateStatus } from '../../estate/estatePage.ts';
import type { Pasted } from '../../estate/pasted.ts';
import { terminalsText } from '../../fields/wording.ts';
import { ExportButton } from '../../jobs/ExportButton.tsx';
import { shownError } from '../../jobs/job.ts';
import { useSaving } from '../../jobs/useSaving.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { ownValue, PAUSE_MS, useDialog } from '../../shared/address.ts';
import { formatNumber } from '../../shared/format.ts';
import { useIsNarrow } from '../../shared/narrow.ts';
import { fileName } from '../../shared/save.ts';
import { useNow } from '../../shared/Time.tsx';
import { ACTIONS, type Action, ChangeDialog } from './ChangeDialog.tsx';
import { ColumnsMenu } from './ColumnsMenu.tsx';
import { useColumns } from './columns.tsx';
import { criteriaText, useCriteria, useText } from './criteria.ts';
import { Empty } from './Empty.tsx';
import { FilterBar, type Filtering, FilterSheet, GroupSelect, TextFilter } from './Filters.tsx';
import { Groups } from './Groups.tsx';
import { LastChange } from './LastChange.tsx';
import { Printed, tableOf } from './output.tsx';
import { PasteDialog, PastedNotice } from './PasteDialog.tsx';
import { Rows } from './Rows.tsx';
import { PrintItems, SelectionBar } from './SelectionBar.tsx';
import { ServicePages } from './ServicePages.tsx';
import { MOST_SELECTED, useSelection } from './useSelection.ts';
import { itemsOf, useSight } from './useSight.ts';

const NO_LENGTHS = {};
const NO_MIDS: string[] = [];

/** How many terminals are read at a time for a file. */
const PART_OF_FILE = 2_000;

/** The terminals that criteria ask for: the part that is in sight, and how to have the others. */
function useMatching(criteria: Criteria, now: number) {
  const acting = useActing();
  const { part, onSight } = useSight();
  const { data, to: asked, isOutdated } = useAnswer('terminals', { criteria, now, ...part });
  const isKnown = data !== undefined && !isOutdated;
  // What is shown is what was answered: a text that is being typed changes nothing until it is.
  const matching = useMemo(() => {
    const shown = asked ?? { criteria: FIRST.terminals.criteria, now: 0 };
    const tidsIn = (from: number, to: number) => askEstate(acting, 'tids', { ...shown, from, to });
    /** All of them, in parts. Which they are is known from the first on, whatever happens meanwhile. */
    async function* all() {
      const tids = await tidsIn(0, Number.MAX_SAFE_INTEGER);
      for (let at = 0; at < tids.length; at += PART_OF_FILE)
        yield askEstate(acting, 'chosen', { tids: tids.slice(at, at + PART_OF_FILE) });
    }
    return { criteria: shown.criteria, total: data?.total ?? 0, items: itemsOf(data), tidsIn, all };
  }, [acting, data, asked]);
  return { ...matching, isKnown, onSight };
}

/** What is on paper if nothing is selected. It is there before a person prints, because a browser waits for nothing then. */
function usePaper(criteria: Criteria, now: number, isAsked: boolean) {
  const [settled] = useDebouncedValue(criteria, PAUSE_MS);
  const { data, to } = useAnswer('terminals', { criteria: settled, now, from: 0, to: MOST_SELECTED }, { isAsked });
  const isReady = JSON.stringify(to?.criteria) === JSON.stringify(criteria);
  return { total: data?.total ?? 0, rows: data?.rows ?? [], isReady };
}

/** All terminals of the acquirer: of the estate, or of the service where it is larger than what a browser keeps. */
export default function Terminals() {
  const { state } = useEstateStatus();
  return state.kind === 'too_large' ? <ServicePages /> : <EstateTable />;
}

/** A table of the estate that filters and sorts at once. */
function EstateTable() {
  const acting = useActing();
  const { acquirer } = acting;
  const { state, terminals: read, isKept, hasSummary } = useEstateStatus();
  const now = useNow();
  const isNarrow = useIsNarrow();
  const address = useCriteria();
  const [text, setText] = useText(address.criteria.text, address.search);
  const criteria = useMemo(() => ({ ...address.criteria, text }), [address.criteria, text]);
  const matching = useMatching(criteria, now);
  const { data: lengths = NO_LENGTHS } = useAnswer('lengths', undefined);
  const branchName = useBranchNames(address.criteria.filters.branch ?? NO_MIDS);
  const filtering = useMemo(
    (): Filtering => ({
      ...address,
      criteria: { ...address.criteria, text: matching.criteria.text },
      branchName,
      clear() {
        setText('');
        address.clear();
      },
    }),
    [address, matching.criteria.text, branchName, setText],
  );
  const [isOnly, setIsOnly] = useState(false);
  const [pasted, setPasted] = useState<Pasted>();
  const [columns, setColumns] = useColumns();
  const [dialog, open, close] = useDialog();

  const { chosen, selectionOf, set, add } = useSelection(criteria.sort);
  const isOnlyChosen = isOnly && chosen.length > 0;
  const shown = isOnlyChosen ? chosen : matching.items;
  const { tidsIn } = matching;
  const selection = useMemo(() => {
    const ofChosen = async (from: number, to: number) => chosen.slice(from, to).map(({ terminal }) => terminal.tid);
    return selectionOf(shown, isOnlyChosen ? ofChosen : tidsIn);
  }, [selectionOf, shown, isOnlyChosen, chosen, tidsIn]);
  const isFiltered = address.isFiltered || text.trim() !== '';
  const clearSelection = () => {
    set([]);
    setPasted(undefined);
    setIsOnly(false);
  };
  /** Selects the only terminal that matches what is typed, also before it is shown. The next text replaces it. */
  const selectOnly = async (input: HTMLInputElement) => {
    const { value } = input;
    const isAnswered = matching.isKnown && matching.criteria.text === value && matching.total === 1;
    const known = isAnswered ? matching.items.at(0) : undefined;
    const asked = { criteria: { ...criteria, text: value }, now, from: 0, to: 2 };
    const [only, ...others] = known ? [known.terminal.tid] : await askEstate(acting, 'tids', asked);
    if (only === undefined || others.length > 0) return;
    add([only]);
    if (input.value === value) input.select();
  };
  const listed = usePaper(criteria, now, chosen.length === 0);
  const paper = chosen.length > 0 ? { total: chosen.length, rows: chosen, isReady: true } : listed;
  // `print` calls it until it is true, so it reads the latest render.
  const isPaperReady = useCallbackRef(() => paper.isReady);
  const [isSheet, setIsSheet] = useState(false);
  const onSheet = () => setIsSheet(true);
  useWindowEvent('afterprint', () => setIsSheet(false));
  const savings = { all: useSaving('terminals'), chosen: useSaving('selected terminals') };
  const save = (which: keyof typeof savings) => (format: Format) => {
    const parts = which === 'all' ? matching.all() : onlyChosen();
    savings[which].start(tableOf(parts, columns), format, fileName(format, 'terminals', acquirer.name));
  };
  const exported = isOnlyChosen ? 'chosen' : 'all';
  async function* onlyChosen() {
    yield chosen;
  }
  const mayChange = useMay('change');
  const action = mayChange && ownValue(ACTIONS, dialog) ? (dialog as Action) : undefined;

  // Until what the browser keeps is read, the first answers are of the last visit.
  const total = hasSummary && !isFiltered ? matching.total : read;
  const isReading = state.kind === 'walking' || state.kind === 'loading';
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
            <ExportButton isDisabled={shown.length === 0 || savings[exported].isRunning} onExport={save(exported)}>
              <PrintItems onSheet={onSheet} isReady={isPaperReady} />
            </ExportButton>
          </>
        }
      >
        {total === 0 && state.kind !== 'following'
          ? ' '
          : `${isFiltered ? `${formatNumber(matching.total)} of ` : ''}${terminalsText(total)}. `}
        {state.kind === 'loading' && total > 0 && `Reading what this browser keeps: ${formatNumber(read)} so far.`}
        {!isKept && ' This browser does not store the list, so it is loaded again at each visit.'}
      </PageTitle>
      <Stack gap="md" className="estate-view" aria-busy={isReading}>
        {state.kind === 'failed' && <ProblemNotice error={shownError(state.error)} onRetry={retryEstate} />}
        {state.kind === 'walking' && (
          <Group gap="sm" role="status">
            <Loader size={14} />
            <Text size="sm" c="dimmed">
              Loading: {terminalsText(read)} so far.{total > 0 && ' You can use them meanwhile.'}
            </Text>
          </Group>
        )}
        {savings.all.notice}
        {savings.chosen.notice}
        <LastChange />
        {pasted && <PastedNotice of={pasted} onClose={() => setPasted(undefined)} />}
        {(total > 0 || isReading) && (
          <>
            <Group gap="sm" wrap="nowrap">
              <TextFilter
                placeholder="Part of an ID or serial number, or words of a branch"
                value={text}
                onChange={setText}
                onEnter={(input) => void selectOnly(input)}
              />
              {isNarrow ? (
                <FilterSheet of={filtering} total={matching.total} />
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
        {shown.length === 0 && matching.isKnown && state.kind !== 'failed' && !isReading && (
          <Empty filtering={filtering} isFiltered={isFiltered} />
        )}
        {shown.length > 0 && address.group && !isOnlyChosen && (
          <Groups of={filtering} facet={address.group} isNarrow={isNarrow} />
        )}
        {shown.length > 0 && (!address.group || isOnlyChosen) && (
          <Rows
            lengths={lengths}
            items={shown}
            onSight={matching.onSight}
            columns={columns}
            filtering={filtering}
            isNarrow={isNarrow}
            selection={selection}
          />
        )}
        {!isOnlyChosen && matching.total > shown.length && (
          <Text c="dimmed">
            The first {formatNumber(shown.length)} are listed. Filter, or sort the other way, to see the others.
          </Text>
        )}
        {chosen.length > 0 && (
          <SelectionBar
            count={chosen.length}
            isNarrow={isNarrow}
            all={isOnlyChosen ? chosen.length : matching.total}
            onAll={selection.selectAll}
            isOnly={isOnlyChosen}
            onOnly={setIsOnly}
            onAction={open}
            onSave={save('chosen')}
            onSheet={onSheet}
            onClear={clearSelection}
          />
        )}
      </Stack>
      <Printed
        {...paper}
        columns={columns}
        isSheet={isSheet}
        which={chosen.length > 0 ? 'Selected terminals.' : criteriaText(criteria, filtering.branchName)}
      />
      {dialog === 'paste' && (
        <PasteDialog
          find={(typed) => askEstate(acting, 'pasted', { text: typed, most: MOST_SELECTED })}
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
