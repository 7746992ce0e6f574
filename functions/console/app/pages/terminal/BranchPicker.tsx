import { type ListedBranch, nameOf, UNNAMED } from '../../resources/data.ts';
import { SearchPicker } from '../../search/SearchPicker.tsx';

function refusalOf({ mid, status }: ListedBranch, from: string): string | undefined {
  if (mid === from) return 'Its branch now';
  return status === 'archived' ? 'Archived branches take no terminals.' : undefined;
}

/** Chooses the branch to which a terminal moves. `from` is the MID of the branch where it is. */
export const BranchPicker = ({
  from,
  chosen,
  onChoose,
  error,
}: {
  from: string;
  chosen: ListedBranch | undefined;
  onChoose: (branch: ListedBranch | undefined) => void;
  error: string | undefined;
}) => (
  <SearchPicker
    data-autofocus
    label="To branch"
    placeholder="Type words of its name, its city or its MID"
    description={chosen && [chosen.mid, chosen.city].filter(Boolean).join(' · ')}
    error={error}
    chosen={chosen ? nameOf(chosen) : ''}
    choicesOf={({ branches }) =>
      branches.map((branch) => ({
        value: branch.mid,
        thing: branch,
        name: branch.merchant_name ?? UNNAMED,
        place: refusalOf(branch, from) ?? [branch.city, branch.mid].filter(Boolean).join(' · '),
        status: branch.status,
        isDisabled: refusalOf(branch, from) !== undefined,
      }))
    }
    onChoose={onChoose}
    onType={() => onChoose(undefined)}
  />
);
