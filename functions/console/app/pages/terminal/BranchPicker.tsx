import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core';
import { useState } from 'react';
import { Found } from '../../search/Found.tsx';
import { SEARCH_FAILED, useFirstOption, useSearch } from '../../search/useSearch.ts';
import { type ListedBranch, nameOf, UNNAMED } from '../../shared/data.ts';
import { isSearchable, UNSEARCHABLE } from '../../shared/searchedText.ts';

/** Why a terminal cannot move to a branch; `undefined` if it can. */
function refusalOf({ mid, status }: ListedBranch, from: string): string | undefined {
  if (mid === from) return 'It is there now';
  return status === 'archived' ? 'Archived branches take no terminals.' : undefined;
}

/** Chooses the branch to which a terminal moves by words, while they are typed. */
export function BranchPicker({
  from,
  chosen,
  onChoose,
  error,
}: {
  /** MID of the branch where the terminal is. */
  from: string;
  chosen: ListedBranch | undefined;
  onChoose: (branch: ListedBranch | undefined) => void;
  error: string | undefined;
}) {
  const [text, setText] = useState('');
  const combobox = useCombobox();
  const { data, error: failure, isFetching, isOutdated } = useSearch(text);
  const branches = data?.branches ?? [];
  const nothing = isSearchable(text) ? 'No branch of yours matches.' : UNSEARCHABLE;

  const { onEnter } = useFirstOption(combobox, text, data !== undefined && !isOutdated);

  return (
    <Combobox
      store={combobox}
      shadow="md"
      width="target"
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
          label="To branch"
          placeholder="Type words of its name, its city or its MID"
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
            const reason = refusalOf(branch, from);
            return (
              <Combobox.Option key={branch.mid} value={branch.mid} disabled={reason !== undefined}>
                <Found
                  name={branch.merchant_name ?? UNNAMED}
                  place={reason ?? [branch.city, branch.mid].filter(Boolean).join(' · ')}
                  status={branch.status}
                />
              </Combobox.Option>
            );
          })}
        </Combobox.Options>
        {branches.length === 0 && (
          <Combobox.Empty role="status">
            {failure ? SEARCH_FAILED : isFetching || isOutdated ? 'Loading…' : nothing}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
