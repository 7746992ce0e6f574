import { Badge, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Change, Outcomes as Known, Outcome, Step } from '../../bulk/changeTerminals.ts';
import { worded } from '../../fields/wording.ts';
import { useNamesOf } from '../../resources/branchNames.ts';
import { Pager } from '../../resources/ListPages.tsx';
import { Id } from '../../shared/Copy.tsx';
import { capitalized, formatNumber } from '../../shared/format.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';

const PER_PAGE = 20;
const ORDER: Outcome['is'][] = ['refused', 'same', 'changed'];

type When = 'check' | 'change';

const COLORS = { changed: 'teal', same: 'gray', refused: 'red' };

/** What is said of terminals when they are checked, and when they were changed. `is` and `was` follow their number. */
const WORDS: Record<Change['do'], Record<Outcome['is'], Record<When, string>>> = {
  move: {
    changed: { check: 'will move', change: 'moved' },
    same: { check: 'is there already', change: 'was there already' },
    refused: { check: 'cannot move', change: 'not moved' },
  },
  archive: {
    changed: { check: 'will be archived', change: 'archived' },
    same: { check: 'is archived already', change: 'was archived already' },
    refused: { check: 'cannot be archived', change: 'not archived' },
  },
  restore: {
    changed: { check: 'will be restored', change: 'restored' },
    same: { check: 'is active already', change: 'was active already' },
    refused: { check: 'cannot be restored', change: 'not restored' },
  },
  set: {
    changed: { check: 'will change', change: 'changed' },
    same: { check: 'is so already', change: 'was so already' },
    refused: { check: 'cannot change', change: 'not changed' },
  },
};

const MEANWHILE: Record<string, string> = {
  precondition_failed: 'Somebody changed it meanwhile. Select it again.',
  not_found: 'Somebody deleted it meanwhile.',
};

const ofMany = (words: string): string => words.replace(/^is /, 'are ').replace(/^was /, 'were ');

export const countsOf = (outcomes: Known): Record<Outcome['is'], number> => {
  const counts = { changed: 0, same: 0, refused: 0 };
  for (const { is } of outcomes.values()) counts[is] += 1;
  return counts;
};

/** The counts in words, such as `11 will move, 1 cannot move`. All steps of a change do the same. */
export const countsText = ([first]: Step[], outcomes: Known, when: When): string => {
  if (!first) return '';
  const counts = countsOf(outcomes);
  return (['changed', 'same', 'refused'] as const)
    .filter((is) => counts[is] > 0)
    .map((is) => {
      const words = WORDS[first.change.do][is][when];
      return `${formatNumber(counts[is])} ${counts[is] === 1 ? words : ofMany(words)}`;
    })
    .join(', ');
};

function difference({ before, change }: Step, branchName: (mid: string) => string): string {
  const { do: what } = change;
  if (what === 'move') return `${branchName(before.mid)} → ${branchName(change.mid)}`;
  if (what === 'set') return `${before[change.field] ?? 'None'} → ${change.value ?? 'None'}`;
  return what === 'archive' ? 'Active → Archived' : 'Archived → Active';
}

interface Listed {
  key: string;
  step: Step;
  outcome: Outcome;
}

const columnsOf = (when: When, branchName: (mid: string) => string): Column<Listed>[] => [
  {
    name: 'Terminal',
    width: '36%',
    narrow: 'first',
    cell: ({ step: { before } }) => (
      <div className="wraps">
        <Id text={before.terminal_id} />
        <Text size="sm" c="dimmed">
          <Id text={before.serial_no} />
          {before.serial_no !== null && ' · '}
          <Verbatim>{branchName(before.mid)}</Verbatim>
        </Text>
      </div>
    ),
  },
  {
    name: 'What',
    narrow: 'second',
    cell: ({ step, outcome }) =>
      outcome.is === 'refused' ? (
        <Text inherit c="var(--mantine-color-error)" className="wraps">
          {MEANWHILE[outcome.code] ?? worded(outcome.detail)}
        </Text>
      ) : (
        outcome.is === 'changed' && difference(step, branchName)
      ),
  },
  {
    name: 'Result',
    width: '12rem',
    narrow: 'end',
    cell: ({ step: { change }, outcome }) => (
      <Badge variant="light" color={COLORS[outcome.is]}>
        {capitalized(WORDS[change.do][outcome.is][when])}
      </Badge>
    ),
  },
];

/** Result for each terminal, those that are refused first. */
export function Outcomes({ steps, outcomes, when }: { steps: Step[]; outcomes: Known; when: When }) {
  const [page, setPage] = useState(1);
  const listed = [...outcomes]
    .map(([at, outcome]): Listed => ({ key: `${at}`, step: steps[at] as Step, outcome }))
    .sort((one, other) => ORDER.indexOf(one.outcome.is) - ORDER.indexOf(other.outcome.is));
  const shown = listed.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const branchName = useNamesOf(
    shown.flatMap(({ step: { before, change } }) => [before.mid, ...(change.do === 'move' ? [change.mid] : [])]),
  );
  return (
    <Stack gap="md">
      <Rows
        label="Result for each terminal"
        columns={columnsOf(when, branchName)}
        rows={shown}
        keyOf={({ key }) => key}
      />
      <Pager meta={{ current_page: page, per_page: PER_PAGE, total: listed.length }} onPage={setPage} />
    </Stack>
  );
}
