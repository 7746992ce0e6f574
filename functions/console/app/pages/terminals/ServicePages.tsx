import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { ClipboardList } from 'lucide-react';
import { useMemo, useState } from 'react';
import { seenValue } from '../../../../../docs/client/estate/facets.ts';
import type { Format } from '../../bulk/export.ts';
import { lookUpTerminals } from '../../bulk/lookUpTerminals.ts';
import { MOST } from '../../estate/most.ts';
import { findPasted } from '../../estate/pasted.ts';
import { branchesText, terminalsText } from '../../fields/wording.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { ExportButton, useExport } from '../../jobs/ExportButton.tsx';
import { shownError } from '../../jobs/job.ts';
import { useSaving } from '../../jobs/useSaving.tsx';
import { Nothing, SortSelect } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { ownValue, useAddress, useDialog } from '../../shared/address.ts';
import { formatNumber } from '../../shared/format.ts';
import { useIsNarrow } from '../../shared/narrow.ts';
import { fileName } from '../../shared/save.ts';
import { isSearchable, MOST_CHARACTERS, UNSEARCHABLE } from '../../shared/searchedText.ts';
import { useNow } from '../../shared/Time.tsx';
import { useEarlier } from '../activity/earlier.ts';
import { ReadOn } from '../activity/ReadOn.tsx';
import { ACTIONS, type Action, ChangeDialog } from './ChangeDialog.tsx';
import { ColumnsMenu } from './ColumnsMenu.tsx';
import { allColumns, type Lengths, type Row, textOf, useColumns } from './columns.tsx';
import { FACETS, facets, useCriteria, useText, valueLabel } from './criteria.ts';
import { Elsewhere } from './Empty.tsx';
import { TextFilter } from './Filters.tsx';
import { LastChange } from './LastChange.tsx';
import { startLookUp, useLookUp } from './lookUpJob.ts';
import { Printed, tableOf } from './output.tsx';
import { PasteDialog, PastedNotice } from './PasteDialog.tsx';
import { Rows } from './Rows.tsx';
import { PrintItems, SelectionBar } from './SelectionBar.tsx';
import { useSelectedRows } from './useSelectedRows.ts';
import { MOST_SELECTED } from './useSelection.ts';
import { ORDERS, rowOf, useServicePages } from './useServicePages.ts';

const NONE: ReadonlyMap<string, string> = new Map();
const NO_ROWS: Row[] = [];

/** What can be filtered here, with its values. */
const FILTERS = { status: ['active', 'archived'], seen: ['week', 'never'] } as const;
type Filter = keyof typeof FILTERS;
const BY = Object.keys(FILTERS) as Filter[];

/** The one value of a filter in the address. Several do not apply. */
const oneOf = <By extends Filter>(by: By, [value, ...others]: readonly string[] = []) =>
  others.length === 0 ? FILTERS[by].find((each): each is (typeof FILTERS)[By][number] => each === value) : undefined;

/** The value of a terminal in each filter. */
const VALUES: Record<Filter, (row: Row, now: number) => string> = {
  status: ({ terminal }) => terminal.status,
  seen: ({ terminal: { status, last_seen_at } }, now) =>
    seenValue(Date.parse(last_seen_at ?? ''), status === 'active', now),
};

const lengthsOf = (rows: readonly Row[]): Lengths =>
  Object.fromEntries(
    allColumns.map((column) => [column, Math.max(0, ...rows.map((row) => textOf(column, row).length))]),
  );

/** All terminals of an estate that is too large for a browser, as the service lists, finds and filters them. */
export function ServicePages() {
  const acting = useActing();
  const { acquirer } = acting;
  const now = useNow();
  const isNarrow = useIsNarrow();
  const { criteria, search, filter, clear, isFiltered } = useCriteria();
  const { filters } = criteria;
  const [values, change] = useAddress();
  const [text, setText] = useText(criteria.text, search);
  const order = ownValue(ORDERS, values.get('order')) ? (values.get('order') as keyof typeof ORDERS) : 'oldest';
  const isRefused = text.trim() !== '' && !isSearchable(text);
  const sought = isSearchable(criteria.text) ? criteria.text.slice(0, MOST_CHARACTERS) : '';
  const wanted = { status: oneOf('status', filters.status), seen: oneOf('seen', filters.seen) };
  const query = useServicePages({ text: sought, order, status: wanted.status });
  const { rows, isIncomplete } = query.data ?? { rows: NO_ROWS, isIncomplete: false };
  const matching = rows.filter((row) => BY.every((by) => [undefined, VALUES[by](row, now)].includes(wanted[by])));
  const reading = useEarlier(query, matching.length);

  const [columns, setColumns] = useColumns();
  const [dialog, open, close] = useDialog();
  const exporting = useExport('terminals');
  const saving = useSaving('selected terminals');
  const { job, pasted, forget } = useLookUp();

  const { chosen, selectionOf, set, add } = useSelectedRows(rows);
  const [isOnly, setIsOnly] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const isOnlyChosen = isOnly && chosen.length > 0;
  const shown = isOnlyChosen ? chosen : matching;
  const lengths = useMemo(() => lengthsOf([...rows, ...chosen]), [rows, chosen]);
  const selection = selectionOf(shown);
  const clearSelection = () => {
    set([]);
    forget();
    setIsOnly(false);
  };
  /** Selects the terminal whose ID or serial number is typed. The next text replaces it. */
  const selectTyped = async (input: HTMLInputElement) => {
    const { value } = input;
    if (!isSearchable(value)) return;
    setFailure(undefined);
    const { signal } = new AbortController();
    const [holder] = (await lookUpTerminals(acting.api, [value.trim()], { signal })).values();
    if (!holder?.found || holder.until !== undefined) return;
    add([rowOf(holder.found)]);
    if (input.value === value) input.select();
  };
  const [isSheet, setIsSheet] = useState(false);
  const onSheet = () => setIsSheet(true);
  useWindowEvent('afterprint', () => setIsSheet(false));
  async function* onlyChosen() {
    yield chosen;
  }
  const paper = chosen.length > 0 ? chosen : shown;
  const whichText = [
    sought && `With “${sought}”.`,
    ...BY.map((by) => wanted[by] && `${FACETS[by].label}: ${valueLabel(by, wanted[by])}.`),
    query.hasNextPage && 'There may be more, which are not loaded.',
  ]
    .filter(Boolean)
    .join(' ');
  const nothingText = () => {
    if (!sought)
      return isFiltered ? 'Remove a filter.' : 'Create a branch with its terminals, or import a list of them.';
    return 'IDs and serial numbers must be whole. Each word must begin a word of the branch’s name, area, city or business, or its MID.';
  };
  const readText = `${terminalsText(rows.length)}${query.hasNextPage ? ' so far' : ''}`;
  const countText = matching.length < rows.length ? `${formatNumber(matching.length)} of ${readText}.` : `${readText}.`;
  const mayChange = useMay('change');
  const action = mayChange && ownValue(ACTIONS, dialog) ? (dialog as Action) : undefined;
  const isOther = facets.some((facet) => filters[facet] && !(facet in wanted && wanted[facet as Filter]));

  const clearAll = () => {
    setText('');
    clear();
  };
  const table = (
    <Rows
      key={isOnlyChosen ? 'selected' : 'listed'}
      lengths={lengths}
      items={shown}
      columns={columns}
      filtering={{ criteria: { text: sought } }}
      isNarrow={isNarrow}
      selection={selection}
    />
  );

  return (
    <>
      <PageTitle
        title="Terminals"
        actions={
          <>
            <Button variant="default" leftSection={<ClipboardList size={16} />} onClick={() => open('paste')}>
              Select from a list
            </Button>
            <ExportButton
              isDisabled={exporting.isRunning}
              onExport={(format) =>
                exporting.start({ what: 'terminals', format }, fileName(format, 'terminals', acquirer.name))
              }
            >
              <PrintItems onSheet={onSheet} />
            </ExportButton>
          </>
        }
      >
        You have more than {terminalsText(MOST.terminals)} or {branchesText(MOST.branches)}: they are listed page by
        page, found by whole IDs and by words of branches, and filtered by status and by when they were last seen.
      </PageTitle>
      <Stack gap="md" className="estate-view">
        {exporting.notice}
        {saving.notice}
        <LastChange />
        {job?.stop && (
          <Doing
            label="Look up the list"
            done={job.progress?.done ?? 0}
            total={job.progress?.total}
            job={job}
            stopLabel="Cancel"
          >
            Looking up the list: {formatNumber(job.progress?.done ?? 0)} done. You can look elsewhere in the console
            meanwhile.
          </Doing>
        )}
        {job?.error && !pasted && <ProblemNotice error={job.error} />}
        {pasted && <PastedNotice of={pasted} onClose={forget} />}
        {failure && <ProblemNotice error={failure} />}
        <Group gap="sm">
          <TextFilter
            placeholder="A whole ID or serial number, or words of a branch"
            value={text}
            error={isRefused && UNSEARCHABLE}
            onChange={setText}
            onEnter={(input) => void selectTyped(input).catch((error) => setFailure(shownError(error)))}
          />
          {BY.map((by) => (
            <NativeSelect
              key={by}
              aria-label={FACETS[by].label}
              value={wanted[by] ?? ''}
              data={[
                { value: '', label: `${FACETS[by].label}: any` },
                ...FILTERS[by].map((value) => ({ value, label: valueLabel(by, value) })),
              ]}
              onChange={({ currentTarget: { value } }) => filter(by, value ? [value] : [])}
            />
          ))}
          {!sought && (
            <SortSelect
              orders={ORDERS}
              sort={order}
              onSort={(next) => change({ order: next === 'oldest' ? null : next })}
            />
          )}
          {!isNarrow && <ColumnsMenu columns={columns} onChange={setColumns} />}
        </Group>
        {isOther && (
          <Text c="dimmed" role="status">
            Other filters of this address do not apply.
          </Text>
        )}
        {isIncomplete && (
          <Text c="dimmed" role="status">
            Branches may be missing: very many have each of these words. Type rarer words.
          </Text>
        )}
        {isOnlyChosen ? (
          table
        ) : (
          <Loaded query={{ ...query, error: query.error && shownError(query.error) }} outline={<Lines count={10} />}>
            {() => (
              <>
                {shown.length > 0 && table}
                {shown.length === 0 && !query.hasNextPage && (
                  <Nothing title={isFiltered ? 'No terminal matches' : 'There are no terminals'} detail={nothingText()}>
                    {sought && <Elsewhere text={sought} />}
                    {isFiltered && (
                      <Button variant="default" onClick={clearAll}>
                        Clear all filters
                      </Button>
                    )}
                  </Nothing>
                )}
                <Group gap="sm">
                  <Text c="dimmed" role="status">
                    {countText}
                  </Text>
                  {query.hasNextPage && (
                    <ReadOn label="Load more" isReading={query.isFetchingNextPage} reading={reading} />
                  )}
                </Group>
              </>
            )}
          </Loaded>
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
            onSave={(format: Format) =>
              saving.start(tableOf(onlyChosen(), columns), format, fileName(format, 'terminals', acquirer.name))
            }
            onSheet={onSheet}
            onClear={clearSelection}
          />
        )}
      </Stack>
      <Printed
        rows={paper.slice(0, MOST_SELECTED)}
        total={paper.length}
        columns={columns}
        isSheet={isSheet}
        isReady={chosen.length > 0 || query.data !== undefined}
        which={chosen.length > 0 ? 'Selected terminals.' : whichText}
      />
      {dialog === 'paste' && (
        <PasteDialog
          find={async (list) => {
            const ids = findPasted(list, NONE, MOST_SELECTED);
            if (ids.count > 0) startLookUp(acting, list);
            return ids;
          }}
          onFound={() => setIsOnly(true)}
          onClose={close}
        />
      )}
      {action && chosen.length > 0 && (
        <ChangeDialog key={action} action={action} rows={chosen} onStarted={clearSelection} onClose={close} />
      )}
    </>
  );
}
