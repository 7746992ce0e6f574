import {
  Button,
  Checkbox,
  CloseButton,
  Group,
  Modal,
  NativeSelect,
  Popover,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDown, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { Facet } from '../../estate/filterRows.ts';
import { formatNumber } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { FACETS, facets, SORTS, sortLabel, type useCriteria, valueLabel } from './criteria.ts';

/** More values than these are for searching, not for scrolling. */
const MOST_SHOWN = 100;
const SEARCHED_FROM = 12;

/** What the filters have in common: the criteria of the address, and how many terminals each value has. */
export interface Filtering extends ReturnType<typeof useCriteria> {
  counts: Record<Facet, ReadonlyMap<string, number>>;
  branchName: (mid: string) => string;
}

function Values({ of: { criteria, counts, filter, branchName }, facet }: { of: Filtering; facet: Facet }) {
  const [typed, setTyped] = useState('');
  const chosen = criteria.filters[facet] ?? [];
  const all = new Map([...chosen.map((value) => [value, 0] as const), ...counts[facet]]);
  const words = typed.trim().toLocaleLowerCase();
  const found = [...all]
    .map(([value, count]) => ({ value, count, label: valueLabel(facet, value, branchName) }))
    .filter(({ value, label }) => `${label} ${value}`.toLocaleLowerCase().includes(words))
    .sort((one, other) => other.count - one.count || one.label.localeCompare(other.label));
  const toggle = (value: string, isOn: boolean) =>
    filter(facet, isOn ? [...chosen, value] : chosen.filter((each) => each !== value));
  return (
    <Stack gap="xs">
      {all.size > SEARCHED_FROM && (
        <TextInput
          aria-label={`Find in ${FACETS[facet].label}`}
          placeholder="Find"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <fieldset className="plain facet-values" aria-label={FACETS[facet].label}>
        {found.slice(0, MOST_SHOWN).map(({ value, count, label }) => (
          <Checkbox
            key={value}
            className="facet-value"
            label={
              <>
                <bdi className="clipped">{label}</bdi>{' '}
                <Text span c="dimmed">
                  {formatNumber(count)}
                </Text>
              </>
            }
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
      {found.length === 0 && <Text c="dimmed">{words ? 'No value has this text.' : 'No terminal matches.'}</Text>}
      {found.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          {formatNumber(found.length - MOST_SHOWN)} more. Type a part of the name to see them.
        </Text>
      )}
    </Stack>
  );
}

/** A facet as a button that says what is chosen, and opens its values. */
function FacetButton({ of, facet }: { of: Filtering; facet: Facet }) {
  const { label } = FACETS[facet];
  const chosen = of.criteria.filters[facet] ?? [];
  const [only = ''] = chosen;
  const what = chosen.length === 1 ? valueLabel(facet, only, of.branchName) : formatNumber(chosen.length);
  const clear = chosen.length > 0 && (
    <CloseButton size="sm" aria-label={`Clear ${label}`} onClick={() => of.filter(facet, [])} />
  );
  return (
    <Group gap={0} wrap="nowrap" className="facet" data-chosen={chosen.length > 0 || undefined}>
      <Popover position="bottom-start" shadow="md" trapFocus width={280}>
        <Popover.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-md"
            fw={400}
            rightSection={!clear && <ChevronDown size={14} />}
          >
            {label}
            {clear && (
              <>
                :&nbsp;<bdi className="clipped">{what}</bdi>
              </>
            )}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>
          <Values of={of} facet={facet} />
        </Popover.Dropdown>
      </Popover>
      {clear}
    </Group>
  );
}

/** Groups the estate by a facet. */
export const GroupSelect = ({ of: { group, groupBy }, label }: { of: Filtering; label?: string }) => (
  <NativeSelect
    label={label}
    aria-label="Group"
    value={group ?? ''}
    data={[
      { value: '', label: 'Not grouped' },
      ...facets.map((facet) => ({ value: facet, label: `By ${FACETS[facet].label.toLocaleLowerCase()}` })),
    ]}
    onChange={(event) => groupBy((event.currentTarget.value || null) as Facet | null)}
  />
);

export const FilterBar = ({ of }: { of: Filtering }) => (
  <Group gap="sm" role="group" aria-label="Filters">
    {facets.map((facet) => (
      <FacetButton key={facet} of={of} facet={facet} />
    ))}
  </Group>
);

/** All filters, order and groups on a phone: a button that opens them as a sheet. */
export function FilterSheet({ of, total }: { of: Filtering; total: number }) {
  const [isOpen, { open, close }] = useDisclosure();
  const count = Object.keys(of.criteria.filters).length;
  const sorts = new Map([...SORTS, of.criteria.sort].map((sort) => [sortLabel(sort), sort]));
  return (
    <>
      <Button variant="default" flex="none" leftSection={<SlidersHorizontal size={16} />} onClick={open}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      {isOpen && (
        <Modal opened fullScreen onClose={close} title="Filters">
          <Stack gap="xl">
            <NativeSelect
              label="Order"
              value={sortLabel(of.criteria.sort)}
              data={[...sorts.keys()]}
              onChange={(event) => of.sort(sorts.get(event.currentTarget.value) ?? of.criteria.sort)}
            />
            <GroupSelect of={of} label="Group" />
            {facets.map((facet) => (
              <Section key={facet} title={FACETS[facet].label} gap="sm">
                <Values of={of} facet={facet} />
              </Section>
            ))}
            <Group className="dialog-end" grow>
              {count > 0 && (
                <Button variant="default" onClick={of.clear}>
                  Clear
                </Button>
              )}
              <Button onClick={close}>
                Show {formatNumber(total)} {total === 1 ? 'terminal' : 'terminals'}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
