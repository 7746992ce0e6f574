import { Button, Checkbox, CloseButton, Group, Modal, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDown, SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Counted, Values } from '../estate/questions.ts';
import { formatNumber } from '../shared/format.ts';
import { Section } from '../shared/Section.tsx';

/** More values than these are for searching, not for scrolling. */
const MOST_SHOWN = 100;
const SEARCHED_FROM = 12;

/** What a list can be filtered by. */
export interface Facet {
  label: string;
  chosen: readonly string[];
  /** @param known What the estate calls a value. */
  labelOf: (value: string, known?: string) => string;
  onChange: (chosen: readonly string[]) => void;
  /** A hook: how many things each value has under all other filters. */
  useValues: (asked: Values) => Counted | undefined;
  /** The same, once. */
  valuesOf: (asked: Values) => Promise<Counted>;
}

function ValueList({ label, chosen, labelOf, onChange, useValues, valuesOf }: Facet) {
  const [typed, setTyped] = useState('');
  const search = typed.trim();
  const none = labelOf('');
  const { total, rows } = useValues({ from: 0, to: MOST_SHOWN, search, chosen, none }) ?? { total: 0, rows: undefined };
  const [isMany, setIsMany] = useState(false);
  if (!isMany && search === '' && total > SEARCHED_FROM) setIsMany(true);
  const toggle = (value: string, isOn: boolean) =>
    onChange([...chosen.filter((each) => each !== value), ...(isOn ? [value] : [])]);
  /** Ticks the only value that has what is typed, also before it is shown. The next text replaces it. */
  const tickOnly = async (input: HTMLInputElement) => {
    const { value } = input;
    const [only, ...others] = (await valuesOf({ from: 0, to: 2, search: value.trim(), chosen, none })).rows;
    if (!only || others.length > 0) return;
    toggle(only[0], true);
    if (input.value === value) input.select();
  };
  return (
    <Stack gap="xs">
      {isMany && (
        <TextInput
          aria-label={`Find in ${label}`}
          placeholder="Find"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && void tickOnly(currentTarget)}
        />
      )}
      <fieldset className="plain facet-values" aria-label={label}>
        {rows?.map(([value, count, known]) => (
          <Checkbox
            key={value}
            className="facet-value"
            label={
              <>
                <bdi className="wraps">{labelOf(value, known)}</bdi>{' '}
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
      {rows?.length === 0 && <Text c="dimmed">{search ? 'No value has this text.' : 'Nothing matches.'}</Text>}
      {total > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          {formatNumber(total - MOST_SHOWN)} more. Type a part of the name to see them.
        </Text>
      )}
    </Stack>
  );
}

/** A facet as a button that says what is chosen, and opens its values. */
function FacetButton({ facet, isDisabled }: { facet: Facet; isDisabled: boolean }) {
  const { label, chosen, labelOf, onChange } = facet;
  const [only = ''] = chosen;
  const what = chosen.length === 1 ? labelOf(only) : formatNumber(chosen.length);
  const clear = chosen.length > 0 && (
    <CloseButton size="sm" aria-label={`Clear ${label}`} onClick={() => onChange([])} />
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
            disabled={isDisabled}
            rightSection={!clear && <ChevronDown size={14} />}
          >
            {label}
            {clear && (
              <>
                :&nbsp;
                <bdi className="clipped" title={what}>
                  {what}
                </bdi>
              </>
            )}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>
          <ValueList {...facet} />
        </Popover.Dropdown>
      </Popover>
      {clear}
    </Group>
  );
}

/** Facets, each as a button. */
export const FacetBar = ({ facets, isDisabled = false }: { facets: Facet[]; isDisabled?: boolean }) => (
  <Group gap="sm" role="group" aria-label="Filters">
    {facets.map((facet) => (
      <FacetButton key={facet.label} facet={facet} isDisabled={isDisabled} />
    ))}
  </Group>
);

/** All facets on a phone: a button that opens them as a sheet, below what else there is to choose. */
export function FacetSheet({
  facets,
  isDisabled = false,
  shown,
  onClear,
  children,
}: {
  facets: Facet[];
  isDisabled?: boolean;
  /** What is listed, such as `3 terminals`. */
  shown: string;
  onClear: () => void;
  children?: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  const count = facets.filter(({ chosen }) => chosen.length > 0).length;
  return (
    <>
      <Button
        variant="default"
        flex="none"
        leftSection={<SlidersHorizontal size={16} />}
        disabled={isDisabled}
        onClick={open}
      >
        Filters{count > 0 && ` (${count})`}
      </Button>
      {isOpen && (
        <Modal opened fullScreen onClose={close} title="Filters">
          <Stack gap="xl">
            {children}
            {facets.map((facet) => (
              <Section key={facet.label} title={facet.label} gap="sm">
                <ValueList {...facet} />
              </Section>
            ))}
            <Group className="dialog-end" grow>
              {count > 0 && (
                <Button variant="default" onClick={onClear}>
                  Clear
                </Button>
              )}
              <Button onClick={close}>Show {shown}</Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
