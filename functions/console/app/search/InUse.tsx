import { Text } from '@mantine/core';
import { nameOf } from '../resources/data.ts';
import { NewTab } from '../resources/NewTab.tsx';
import { paths } from '../resources/paths.ts';
import { Verbatim } from '../shared/Verbatim.tsx';
import { useSearch } from './useSearch.ts';
import { Verdict } from './Verdict.tsx';

const isSame = (one: string | null, other: string): boolean => one?.toUpperCase() === other.trim().toUpperCase();

/** While a serial number is typed, says which of one's terminals has or had it. The service refuses those of others. */
export function SerialInUse({ serial }: { serial: string }) {
  const { data, isOutdated } = useSearch(serial);
  if (serial === '' || !data || isOutdated) return null;
  const holder = data.terminals.find(({ serial_no }) => isSame(serial_no, serial));
  if (!holder) return <Verdict code={serial} />;
  return (
    <Text className="wraps" role="status">
      <Verbatim>{holder.serial_no}</Verbatim> is in use at terminal{' '}
      <NewTab to={paths.terminal(holder.tid)}>{holder.terminal_id}</NewTab>,{' '}
      <Verbatim>{nameOf(holder.branch)}</Verbatim>.
    </Text>
  );
}

/** While a MID is typed, says which of one's branches has it. The service refuses those of others. */
export function MidInUse({ mid }: { mid: string }) {
  const { data, isOutdated } = useSearch(mid);
  const holder = !isOutdated && data?.branches.find((branch) => isSame(branch.mid, mid));
  return (
    holder && (
      <Text className="wraps" role="status">
        <Verbatim>{holder.mid}</Verbatim> is the MID of <NewTab to={paths.branch(holder.mid)}>{nameOf(holder)}</NewTab>.
      </Text>
    )
  );
}
