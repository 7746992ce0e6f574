import { Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { bodyOf, isProblem } from '../api/request.ts';
import { useActing } from '../session/session.ts';
import { Verbatim } from '../shared/Verbatim.tsx';
import type { Terminal } from './data.ts';
import { NewTab } from './NewTab.tsx';
import { paths } from './paths.ts';

/** Links to the terminals that have these serial numbers. */
export function SerialHolders({ serials }: { serials: string[] }) {
  const { api, acquirer } = useActing();
  const found = useQueries({
    queries: serials.map((serial_no) => ({
      queryKey: [acquirer.id, 'serial', serial_no],
      // It may be at a branch of somebody else.
      retry: false,
      queryFn: () => bodyOf(api.GET('/ext/api/v1/find', { params: { query: { serial_no } } })),
    })),
  });
  return found.map(({ data, error }, at) => {
    const serial = serials[at] as string;
    const holder = data?.data as Terminal | undefined;
    const isHidden = isProblem(error, 'not_found');
    if (!holder)
      return (
        isHidden && (
          <Text key={serial}>
            <Verbatim>{serial}</Verbatim> is at a branch that is not yours. Ask support.
          </Text>
        )
      );
    return (
      <Text key={serial} className="wraps">
        <Verbatim>{serial}</Verbatim> is in use at terminal{' '}
        <NewTab to={paths.terminal(holder.tid)}>{holder.terminal_id}</NewTab>.
      </Text>
    );
  });
}
