import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../search/texts.ts';
import { useFirstOption, useSearch } from '../search/useSearch.ts';
import { type ListedBranch, nameOf } from './data.ts';
import { StatusBadge } from './StatusBadge.tsx';
import { texts as shared } from './texts.ts';

/** A branch that a person may choose; a reason if they may not choose it. */
type Refusal = (branch: ListedBranch) => string | undefined;

/** Chooses a branch by words, while they are typed. */
export function BranchPicker({
  label,
  placeholder,
  nothing,
  chosen,
  onChoose,
  refusal,
  error,
}: {
  label: string;
  placeholder: string;
  nothing: string;
  chosen: ListedBranch | undefined;
  onChoose: (branch: ListedBranch | undefined) => void;
  refusal: Refusal;
  error: string | undefined;
}) {
  const [text, setText] = useState('');
  const combobox = useCombobox();
  const { data, error: failure, isFetching, isOutdated } = useSearch(text);
  const branches = data?.branches ?? [];

  const onEnter = useFirstOption(combobox, text, data !== undefined && !isOutdated);

  return (
    <Combobox
      store={combobox}
      shadow="md"
      onOptionSubmit={(mid) => {
        const branch = branches.find((each) => each.mid === mid);
        setText(branch ? nameOf(branch) : mid);
        onChoose(branch);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          role="combobox"
          data-autofocus
          label={label}
          placeholder={placeholder}
          description={chosen && [chosen.mid, chosen.city].filter(Boolean).join(' · ')}
          value={text}
          error={error}
          rightSection={isFetching ? <Loader size={16} /> : null}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            setText(typed);
            onChoose(undefined);
            if (typed.trim() === '') combobox.closeDropdown();
            else combobox.openDropdown();
          }}
          onKeyDown={onEnter}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={280} className="scrolls">
          {branches.map((branch) => {
            const reason = refusal(branch);
            return (
              <Combobox.Option key={branch.mid} value={branch.mid} disabled={reason !== undefined}>
                <Group gap="sm" wrap="nowrap">
                  <Text span className="grows clipped">
                    <bdi>{branch.merchant_name ?? shared.unnamed}</bdi>{' '}
                    <Text span c="dimmed" inherit>
                      <bdi>{reason ?? [branch.city, branch.mid].filter(Boolean).join(' · ')}</bdi>
                    </Text>
                  </Text>
                  {branch.status === 'archived' && <StatusBadge status="archived" size="sm" />}
                </Group>
              </Combobox.Option>
            );
          })}
        </Combobox.Options>
        {branches.length === 0 && (
          <Combobox.Empty role="status">
            {failure ? texts.failed : isFetching || isOutdated ? shared.loading : nothing}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
