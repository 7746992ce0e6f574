import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { nameOf } from '../resources/data.ts';
import { formatDay } from '../shared/format.ts';
import { Verbatim } from '../shared/Verbatim.tsx';
import { useFound } from './useSearch.ts';

const FREE = 'Free: none of your terminals has it.';

/** What a scanned code belongs to: the terminal or branch that has it, or the terminal that had it. */
export function Verdict({ code }: { code: string }) {
  const { data, error } = useFound(code);
  const [released] = data?.released ?? [];
  const { data: place } = useFound(released?.mid);
  const isCode = (id: string) => id.toUpperCase() === code.toUpperCase();
  const [terminal] = data?.terminals ?? [];
  const branch = data?.branches.find(({ mid }) => isCode(mid));
  const before = place?.branches.find(({ mid }) => mid === released?.mid);
  const verdict = (): ReactNode => {
    if (error) return 'What has it is not known: the search failed.';
    if (!data) return 'Looking it up…';
    if (terminal)
      return (
        <>
          {isCode(terminal.terminal_id) ? (
            'Terminal'
          ) : (
            <>
              At <Verbatim>{terminal.terminal_id}</Verbatim>
            </>
          )}
          , <Verbatim>{nameOf(terminal.branch)}</Verbatim>
          {terminal.status === 'archived' && ' (archived)'}
        </>
      );
    if (released)
      return (
        <>
          Free: was at <Verbatim>{released.terminal_id}</Verbatim>
          {before && (
            <>
              , <Verbatim>{nameOf(before)}</Verbatim>
            </>
          )}{' '}
          until {formatDay(released.until)}.
        </>
      );
    if (branch)
      return (
        <>
          Branch <Verbatim>{nameOf(branch)}</Verbatim>
        </>
      );
    return FREE;
  };
  return (
    <Text size="sm" c="dimmed" className="wraps" role="status">
      {verdict()}
    </Text>
  );
}
