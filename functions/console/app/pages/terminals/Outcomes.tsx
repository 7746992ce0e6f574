import { Badge, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Outcomes as Known, Outcome, Step } from '../../bulk/changeTerminals.ts';
import { useBranchName } from '../../estate/useEstate.ts';
import { labelOf, worded } from '../../fields/wording.ts';
import { Pager } from '../../resources/ListPages.tsx';
import { Id } from '../../shared/Copy.tsx';
import { formatNumber } from '../../shared/format.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';

const PER_PAGE = 20;
const ORDER: Outcome['is'][] = ['refused', 'same', 'changed'];

const WORDS = {
  changed: { color: 'teal', check: 'Will change', change: 'Changed' },
  same: { color: 'gray', check: 'Already so', change: 'Was already so' },
  refused: { color: 'red', check: 'Cannot change', change: 'Not changed' },
} as const;

type When = 'check' | 'change';

export const countsOf = (outcomes: Known): Record<Outcome['is'], number> => {
  const counts = { changed: 0, same: 0, refused: 0 };
  for (const { is } of outcomes.values()) counts[is] += 1;
  return counts;
};

/** The counts in words, such as `11 will change, 1 cannot change`. */
export const countsText = (outcomes: Known, when: When): string => {
  const counts = countsOf(outcomes);
  return (['changed', 'same', 'refused'] as const)
    .filter((is) => counts[is] > 0)
    .map((is) => `${formatNumber(counts[is])} ${WORDS[is][when].toLocaleLowerCase()}`)
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
    name: labelOf('terminal_id'),
    width: '32%',
    narrow: 'first',
    cell: ({ step }) => <Id text={step.before.terminal_id} />,
  },
  {
    name: 'What',
    narrow: 'second',
    cell: ({ step, outcome }) =>
      outcome.is === 'refused' ? (
        <Text inherit c="var(--mantine-color-error)" className="wraps">
          {outcome.code === 'precondition_failed'
            ? 'Somebody changed it meanwhile. Select it again.'
            : worded(outcome.detail, outcome.code)}
        </Text>
      ) : (
        difference(step, branchName)
      ),
  },
  {
    name: 'Result',
    width: '9rem',
    narrow: 'end',
    cell: ({ outcome }) => (
      <Badge variant="light" color={WORDS[outcome.is].color}>
        {WORDS[outcome.is][when]}
      </Badge>
    ),
  },
];

/** Result for each terminal, those that are refused first. */
export function Outcomes({ steps, outcomes, when }: { steps: Step[]; outcomes: Known; when: When }) {
  const branchName = useBranchName();
  const [page, setPage] = useState(1);
  const listed = [...outcomes]
    .map(([at, outcome]): Listed => ({ key: `${at}`, step: steps[at] as Step, outcome }))
    .sort((one, other) => ORDER.indexOf(one.outcome.is) - ORDER.indexOf(other.outcome.is));
  return (
    <Stack gap="md">
      <Rows
        label="Result for each terminal"
        columns={columnsOf(when, branchName)}
        rows={listed.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
        keyOf={({ key }) => key}
      />
      <Pager meta={{ current_page: page, per_page: PER_PAGE, total: listed.length }} onPage={setPage} />
    </Stack>
  );
}
